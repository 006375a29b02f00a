package apidocs

import (
	"embed"
	"fmt"
	"html"
	"strings"

	"github.com/clientintel/clientintel"
)

// pages are rendered from the contract and the guides (internal/tools/generate).
//
//go:embed assets pages
var embedded embed.FS

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

// exampleAddress is the service's address in the pages as they are rendered. The
// page's script replaces it by the address that the page came from.
const exampleAddress = "https://clientintel.example.com"

// Files returns every file. publicURL is the address that lines to paste name;
// without one they name an example, never a request's own Host header.
func Files(publicURL string) ([]File, error) {
	address, relative := exampleAddress, "](."
	if publicURL != "" {
		address = strings.TrimRight(publicURL, "/")
		relative = "](" + address
	}
	inPage := strings.NewReplacer(exampleAddress, html.EscapeString(address))
	inText := strings.NewReplacer("](.", relative)
	const page = "text/html; charset=utf-8"
	files := []File{{Path: "/docs/changelog", ContentType: "text/markdown; charset=utf-8", Body: clientintel.Changelog}}
	for _, f := range []struct {
		path, name, contentType string
		replacer                *strings.Replacer
	}{
		{"/docs/page.js", "assets/page.js", "text/javascript; charset=utf-8", nil},
		{"/docs/page.css", "assets/page.css", "text/css; charset=utf-8", nil},
		{"/docs/icon.svg", "assets/icon.svg", "image/svg+xml", nil},
		{"/docs", "pages/reference.html", page, inPage},
		{"/docs/bi-guide", "pages/bi-guide.html", page, inPage},
		{"/docs/agent-guide", "pages/agent-guide.html", page, inPage},
		{"/llms.txt", "pages/llms.txt", "text/plain; charset=utf-8", inText},
	} {
		body, err := embedded.ReadFile(f.name)
		if err != nil {
			return nil, fmt.Errorf("reading the page's files: %w", err)
		}
		if f.replacer != nil {
			body = []byte(f.replacer.Replace(string(body)))
		}
		files = append(files, File{Path: f.path, ContentType: f.contentType, Body: body, Page: f.replacer != inText})
	}
	return files, nil
}
