// Package pages renders what internal/apidocs holds: the reference and the guides as HTML,
// the index of their search, and llms.txt, from the contract and the guides' Markdown.
package pages

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"regexp"
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
}

// Address is the service's.
func (page) Address() string { return exampleAddress }

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
	var all []section
	for _, s := range p.Sections {
		if s.Level == 2 {
			all = append(all, s)
		}
	}
	return all
}

// Render returns the files by name.
func Render(document contract.Node, guides []Guide) (map[string][]byte, error) {
	described, err := buildReference(document)
	if err != nil {
		return nil, err
	}
	parsed, err := template.ParseFS(templates, "*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	r := site{parsed: parsed, reference: described, guides: guides, files: map[string][]byte{"llms.txt": llms(described)}}
	r.add("reference", "docs", described.Title, described, described.Sections)
	r.add("errors", "errors", "Errors", described.Errors, nil)
	r.add("missing", "missing", "No such page", nil, nil)
	for _, g := range described.Groups {
		for _, o := range g.Operations {
			r.add("operation", o.ID, o.Summary, o, o.sections())
		}
	}
	for _, o := range described.Objects {
		r.add("object", o.Name, o.Name, o, nil)
	}
	index := searchIndex(described)
	for _, g := range guides {
		title, sections := r.addGuide(g)
		index = append(index, guideEntries(g.Name, title, sections)...)
	}
	if index, err = withWords(index); err != nil {
		return nil, err
	}
	text, err := json.Marshal(index)
	r.files["search.json"] = text
	return r.files, errors.Join(err, r.err)
}

// site makes the files, and keeps the first error.
type site struct {
	parsed    *template.Template
	reference reference
	guides    []Guide
	files     map[string][]byte
	err       error
}

// add makes a page around what its template says of data.
func (r *site) add(from, name, title string, data any, sections []section) {
	p := page{Name: name, Title: title, Root: "../", Site: r.reference, Guides: r.guides, Sections: sections}
	switch name {
	case "docs":
		p.Docs, p.Root = "docs/", ""
	case "missing": // at any depth: the server fills it in
		p.Root, p.Docs = "ROOT/", "ROOT/docs/"
	}
	p.Main = template.HTML(r.execute(from, data))        //nolint:gosec // a template wrote it
	r.files[name+".html"] = []byte(r.execute("page", p)) // of which "docs" is served at the folder's own path
}

func (r *site) execute(name string, data any) string {
	var out bytes.Buffer
	if err := r.parsed.ExecuteTemplate(&out, name, data); err != nil && r.err == nil {
		r.err = fmt.Errorf("rendering %s: %w", name, err)
	}
	return out.String()
}

var (
	firstLine = regexp.MustCompile(`^# (.+)\n`)
	// Links in the sources lead to files of the repository, or beside the contract.
	guideLink     = regexp.MustCompile(`\]\((?:\./|\.\./guides/|\.\./openapi/guides/)(bi-guide|agent-guide)\.md`)
	connectorLink = regexp.MustCompile(`\]\(([a-z]+/)`)
)

func (r *site) addGuide(g Guide) (title string, sections []section) {
	found := firstLine.FindStringSubmatch(g.Source)
	if found == nil {
		r.err = errors.Join(r.err, fmt.Errorf("%s has no title", g.Name))
		return "", nil
	}
	source := guideLink.ReplaceAllString(g.Source, "]($1")
	if g.Name == "connectors" {
		source = connectorLink.ReplaceAllString(source, "](connectors/$1")
	}
	text, sections, err := renderMarkdown(strings.ReplaceAll(source, "](./", "](.."+apiPath))
	r.err = errors.Join(r.err, err)
	r.add("guide", g.Name, found[1], text, sections)
	return found[1], sections
}
