// Package pages renders what internal/apidocs holds: the reference and the guides as HTML,
// and llms.txt, from the contract and the guides' Markdown.
package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"slices"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
)

//go:embed *.tmpl clients.md
var templates embed.FS

const (
	apiPath  = "/api/client/v1/"
	docsPath = "/docs"
	// exampleAddress is the service's address in everything that is rendered.
	exampleAddress = "https://clientintel.example.com"
)

// layout is what every page needs beside its text.
type layout struct {
	// Name is the page's own, the last part of its path.
	Name string
	// Docs leads from the page to the folder of all others, Root to the server's root.
	Docs, Root string
	// Build identifies this build's script and style, so that no cache mixes two.
	Build string
	Site  reference
	// Headings are the page's own. Markdown is set if the page is served as such too.
	Headings []heading
	Markdown bool
}

// Address is the service's.
func (layout) Address() string { return exampleAddress }

// tab is a page that every other links to.
type tab struct{ Name, Title string }

// Tabs are the pages of the bar.
func (layout) Tabs() []tab {
	return []tab{{"docs", "Reference"}, {"bi-guide", "BI guide"}, {"agent-guide", "Agent guide"}, {"clients", "Clients"}}
}

// Render returns the files by name. Guides are texts by name, and assets holds the pages'
// script, style and icon.
func Render(document contract.Node, guides map[string][]byte, assets fs.FS) (map[string][]byte, error) {
	described, err := buildReference(document)
	if err != nil {
		return nil, err
	}
	build, err := buildOf(assets)
	if err != nil {
		return nil, err
	}
	parsed, err := template.ParseFS(templates, "*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	guides = maps.Clone(guides)
	if guides["clients"], err = templates.ReadFile("clients.md"); err != nil {
		return nil, fmt.Errorf("reading the page of clients: %w", err)
	}
	files := map[string][]byte{"llms.txt": llms(described)}
	index := searchIndex(described)
	add := func(name, from string, data any) error {
		var out bytes.Buffer
		if err := parsed.ExecuteTemplate(&out, from, data); err != nil {
			return fmt.Errorf("rendering %s: %w", name, err)
		}
		files[name] = out.Bytes()
		return nil
	}
	overview := layout{Name: "docs", Docs: "docs/", Build: build, Site: described, Headings: described.Headings}
	if err := add("reference.html", "reference.tmpl", overview); err != nil {
		return nil, err
	}
	below := layout{Root: "../", Build: build, Site: described}
	for _, g := range described.Groups {
		for _, o := range g.Operations {
			page := below
			page.Name, page.Headings = o.ID, o.headings()
			if err := add(o.ID+".html", "operation.tmpl", struct {
				layout
				Operation operation
			}{page, o}); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(guides)) {
		g, err := renderGuide(name, guides[name])
		if err != nil {
			return nil, err
		}
		page := below
		page.Name, page.Headings, page.Markdown = name, g.Headings, name != "clients"
		if err := add(name+".html", "guide.tmpl", struct {
			layout
			Guide guide
		}{page, g}); err != nil {
			return nil, err
		}
		index = append(index, g.entries()...)
	}
	if files["search.json"], err = json.Marshal(index); err != nil {
		return nil, fmt.Errorf("writing the index of the search: %w", err)
	}
	return files, nil
}

// buildOf names this set of the pages' files.
func buildOf(assets fs.FS) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"theme.js", "page.js", "page.css", "icon.svg"} {
		body, err := fs.ReadFile(assets, name)
		if err != nil {
			return "", fmt.Errorf("reading the pages' files: %w", err)
		}
		sum.Write(body)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
}
