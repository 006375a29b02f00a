// Package pages renders what internal/apidocs holds: the reference and the guides as HTML,
// the index of their search, and llms.txt, from the contract and the guides' Markdown.
package pages

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
)

//go:embed *.tmpl
var templates embed.FS

const (
	apiPath  = "/api/client/v1/"
	docsPath = "/docs"
	// exampleAddress is the service's address in everything that is rendered.
	exampleAddress = "https://clientintel.example.com"
)

// Guide is a text in Markdown that becomes a page.
type Guide struct {
	// Name is the last part of the page's path, Menu the page in the navigation.
	Name, Menu, Source string
	// Markdown is where it is served as such, below the server's root; empty: nowhere.
	Markdown string
}

// page is everything that a template shows.
type page struct {
	// Name is the page's own, the last part of its path.
	Name, Title string
	// Docs leads from the page to the folder of all others, Root to the server's root.
	Docs, Root string
	Site       reference
	Guides     []Guide
	Sections   []section
	Main       template.HTML
	// Main is what a template says of data.
	template string
	data     any
}

// Markdown is where the page is served as such.
func (p page) Markdown() string {
	for _, g := range p.Guides {
		if g.Name == p.Name {
			return g.Markdown
		}
	}
	return ""
}

// Contents are the page's own headings in the navigation.
func (p page) Contents() []section {
	return slices.DeleteFunc(slices.Clone(p.Sections), func(s section) bool { return s.Level != 2 })
}

// Render returns the files by name.
func Render(document contract.Node, guides []Guide) (map[string][]byte, error) {
	site, err := buildReference(document)
	if err != nil {
		return nil, err
	}
	all := []page{
		{Name: "docs", Title: site.Title, Sections: site.Sections, template: "reference", data: site},
		{Name: "errors", Title: "Errors", template: "errors", data: site.Errors},
		{Name: "missing", Title: "No such page", template: "missing"},
	}
	for _, o := range site.operations() {
		all = append(all, page{Name: o.ID, Title: o.Summary, Sections: o.sections(), template: "operation", data: o})
	}
	for _, o := range site.Objects {
		all = append(all, page{Name: o.Name, Title: o.Name, template: "object", data: o})
	}
	index := searchIndex(site)
	for _, g := range guides {
		p, err := g.page()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
		all, index = append(all, p), append(index, guideEntries(p.Name, p.Title, p.Sections)...)
	}
	search, err := withWords(index)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"llms.txt": llms(site), "search.json": search}
	for _, p := range all {
		p.Site, p.Guides = site, guides
		if files[p.Name+".html"], err = p.html(); err != nil { // of which "docs" is served at the folder's own path
			return nil, fmt.Errorf("rendering %s: %w", p.Name, err)
		}
	}
	return files, nil
}

var parsed = template.Must(template.New("").Funcs(template.FuncMap{
	"markdown": func(text string) (template.HTML, error) {
		rendered, _, err := renderMarkdown(text)
		return rendered, err
	},
	"json": func(value contract.Node) (template.HTML, error) {
		if !value.Exists() {
			return "", nil
		}
		text, err := value.JSON("  ")
		if err != nil {
			return "", err
		}
		return highlight("json", string(text))
	},
	"highlight": highlight,
}).ParseFS(templates, "*.tmpl"))

func (p page) html() ([]byte, error) {
	p.Root = "../"
	switch p.Name {
	case "docs":
		p.Docs, p.Root = "docs/", ""
	case "missing": // at any depth: the server fills it in
		p.Root, p.Docs = "ROOT/", "ROOT/docs/"
	}
	var main, whole bytes.Buffer
	if err := parsed.ExecuteTemplate(&main, p.template, p.data); err != nil {
		return nil, err
	}
	p.Main = template.HTML(main.String()) //nolint:gosec // a template wrote it
	err := parsed.ExecuteTemplate(&whole, "page", p)
	return whole.Bytes(), err
}

var (
	firstLine = regexp.MustCompile(`^# (.+)\n`)
	// Links in the sources lead to files of the repository, or beside the contract.
	guideLink     = regexp.MustCompile(`\]\((?:\./|\.\./guides/|\.\./openapi/guides/)(bi-guide|agent-guide)\.md`)
	connectorLink = regexp.MustCompile(`\]\(([a-z]+/)`)
)

func (g Guide) page() (page, error) {
	found := firstLine.FindStringSubmatch(g.Source)
	if found == nil {
		return page{}, errors.New("the page has no title")
	}
	source := guideLink.ReplaceAllString(g.Source, "]($1")
	if g.Name == "connectors" {
		source = connectorLink.ReplaceAllString(source, "](connectors/$1")
	}
	text, sections, err := renderMarkdown(strings.ReplaceAll(source, "](./", "](.."+apiPath))
	return page{Name: g.Name, Title: found[1], Sections: sections, template: "guide", data: text}, err
}
