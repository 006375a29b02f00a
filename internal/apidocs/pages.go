package apidocs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/clientintel/clientintel"
	"github.com/clientintel/clientintel/internal/web"
	"github.com/clientintel/clientintel/openapi"
)

// pages are rendered from the contract and the guides (internal/tools/generate).
//
//go:embed assets pages
var embedded embed.FS

// exampleAddress is the service's address in the rendered pages. The page's script
// replaces it with the address that the page came from.
const exampleAddress = "https://clientintel.example.com"

// sharedAssets are those of package web that the pages use.
var sharedAssets = []string{"base.css", "base.js", "theme.js", "icon.svg"}

// Files returns every file. Links between pages are relative, so they stay right under any
// path that a proxy adds. publicURL is the address in lines that readers paste; without
// one they contain an example, never a request's own Host header.
func Files(publicURL string) ([]web.File, error) {
	address, relative := exampleAddress, "](."
	if publicURL != "" {
		address = strings.TrimRight(publicURL, "/")
		relative = "](" + address
	}
	inPage := strings.NewReplacer(exampleAddress, html.EscapeString(address))
	inText := strings.NewReplacer(exampleAddress, address)
	inIndex := strings.NewReplacer("](.", relative)
	files := []web.File{{Path: "/docs/changelog.md", ContentType: web.ContentType("changelog.md"), Body: clientintel.Changelog}}
	for _, shared := range web.Assets("/docs") {
		if slices.Contains(sharedAssets, path.Base(shared.Path)) {
			files = append(files, shared)
		}
	}
	add := func(from fs.FS, name, to string, replacer *strings.Replacer) error {
		body, err := fs.ReadFile(from, name)
		if err != nil {
			return fmt.Errorf("reading the pages' files: %w", err)
		}
		if replacer != nil {
			body = []byte(replacer.Replace(string(body)))
		}
		files = append(files, web.File{Path: to, ContentType: web.ContentType(name), Body: body, IsPage: replacer == inPage})
		return nil
	}
	err := fs.WalkDir(embedded, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil || entry.IsDir() || base == missing:
			return err
		case base == "llms.txt":
			return add(embedded, name, "/llms.txt", inIndex)
		case base == "docs.html":
			return add(embedded, name, "/docs", inPage)
		default:
			return add(embedded, name, "/docs/"+strings.TrimSuffix(strings.TrimPrefix(name, "pages/"), ".html"), inPage)
		}
	})
	if err != nil {
		return nil, err
	}
	connectors, packages := openapi.Connectors(), openapi.Clients()
	served := func(from fs.FS, replacer *strings.Replacer) fs.WalkDirFunc {
		return func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if path.Ext(name) == ".xlsx" {
				return add(from, name, "/docs/"+name, nil)
			}
			return add(from, name, "/docs/"+strings.TrimPrefix(name, "generated/"), replacer)
		}
	}
	err = errors.Join(fs.WalkDir(connectors, ".", served(connectors, inText)), fs.WalkDir(packages, ".", served(packages, nil)))
	return files, err
}

const missing = "missing.html"

// Missing is the page for a path where there is none, so many folders below the server's
// root: its links must be right there.
func Missing(depth int) []byte {
	body, err := embedded.ReadFile("pages/" + missing)
	if err != nil {
		panic(err) // an embedded file is always readable
	}
	return bytes.ReplaceAll(body, []byte("ROOT/"), bytes.Repeat([]byte("../"), depth))
}
