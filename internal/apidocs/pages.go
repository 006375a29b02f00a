package apidocs

import (
	"embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/clientintel/clientintel/openapi"
)

//go:embed assets
var assets embed.FS

// Policy is the Content-Security-Policy of the pages. Scripts and styles come
// from files of this server alone, forms are sent by script only, and no other
// page may frame one that takes keys.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// File is a file to serve. Links between pages are relative, so they hold under
// whatever path a proxy puts in front.
type File struct {
	// Path is where it is served, from the root.
	Path        string
	ContentType string
	Body        []byte
	// Page is set on what a browser opens or loads, and not on a document that
	// programs of any origin may fetch.
	Page bool
}

const docsPath = "/docs"

// Files makes every file. publicURL is the address that lines to paste name;
// without one they name an example, never a request's own Host header.
func Files(publicURL string) ([]File, error) {
	publicURL = strings.TrimRight(publicURL, "/")
	contract, err := openapi.JSONAt(publicURL)
	if err != nil {
		return nil, err
	}
	described, err := buildReference(contract, publicURL)
	if err != nil {
		return nil, err
	}
	files, build, err := assetFiles()
	if err != nil {
		return nil, err
	}
	templates, err := template.ParseFS(assets, "assets/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	add := func(path, name string, data any) error {
		var out strings.Builder
		if err := templates.ExecuteTemplate(&out, name, data); err != nil {
			return fmt.Errorf("making %s: %w", path, err)
		}
		files = append(files, File{Path: path, ContentType: "text/html; charset=utf-8", Body: []byte(out.String()), Page: true})
		return nil
	}
	if err := add(docsPath, "reference.tmpl", struct {
		layout
		reference
	}{layout{Assets: "docs/", Build: build}, described}); err != nil {
		return nil, err
	}
	for _, name := range []string{"bi-guide", "agent-guide"} {
		g, err := renderGuide(name, publicURL)
		if err != nil {
			return nil, err
		}
		if err := add(docsPath+"/"+name, "guide.tmpl", struct {
			layout
			guide
		}{layout{Root: "../", Build: build}, g}); err != nil {
			return nil, err
		}
	}
	return append(files, File{Path: "/llms.txt", ContentType: "text/plain; charset=utf-8", Body: llms(described, publicURL)}), nil
}
