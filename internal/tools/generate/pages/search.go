package pages

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// entry is a place that the pages' search finds. URL is relative to the folder of all
// pages.
type entry struct {
	ID    int    `json:"id"`
	Group string `json:"group"`
	Title string `json:"title"`
	Where string `json:"where"`
	URL   string `json:"url"`
	Text  string `json:"text"`
	// Words are other words for the same.
	Words string `json:"words,omitempty"`
}

//go:embed words.yaml
var otherWords []byte

// searchIndex lists the overview's sections, operations, parameters, fields and errors.
func searchIndex(r reference) []entry {
	all := guideEntries("../docs", "Overview", r.Sections)
	for _, g := range r.Groups {
		for _, o := range g.Operations {
			all = append(all, entry{
				Group: "Operations", Title: o.Summary, Where: o.Method + " " + o.Path, URL: o.ID,
				Text: plainText(o.Description), Words: strings.Join(append(o.Scopes, g.Name, o.ID), " "),
			})
			for _, p := range o.Parameters {
				all = append(all, entry{
					Group: "Parameters", Title: p.Name, Where: o.Summary, URL: o.ID + "#" + p.Name, Text: plainText(p.Description),
				})
			}
		}
	}
	for _, o := range r.Objects {
		all = append(all, entry{Group: "Objects", Title: o.Name, Where: "Object", URL: o.Name, Text: plainText(o.Description)})
		for _, f := range o.Fields {
			all = append(all, entry{
				Group: "Fields", Title: f.Name, Where: o.Name, URL: o.Name + "#" + f.Name,
				Text: plainText(f.Description), Words: strings.Join(f.Constraints, " "),
			})
		}
	}
	for _, e := range r.Errors {
		all = append(all, entry{Group: "Errors", Title: e.Status + " " + e.Code, Where: "Error", URL: "errors#" + e.Code, Text: plainText(e.Meaning)})
	}
	return all
}

// guideEntries are the parts of a page of text.
func guideEntries(url, title string, sections []section) []entry {
	all := []entry{{Group: "Guides", Title: title, Where: "Page", URL: url}}
	for _, s := range sections {
		all = append(all, entry{
			Group: "Guides", Title: strings.TrimLeft(s.Title, "0123456789. "), Where: title, URL: url + "#" + s.Anchor, Text: s.Text,
		})
	}
	return all
}

// withWords is the index as JSON: it numbers the entries and adds the words that readers
// look for and no page has.
func withWords(all []entry) ([]byte, error) {
	var words map[string]string
	if err := yaml.Unmarshal(otherWords, &words); err != nil {
		return nil, fmt.Errorf("reading the words: %w", err)
	}
	for i := range all {
		all[i].ID = i
		if more, ok := words[all[i].URL]; ok {
			all[i].Words += " " + more
			delete(words, all[i].URL)
		}
	}
	for url := range words {
		return nil, fmt.Errorf("words.yaml: there is no page %s", url)
	}
	return json.Marshal(all)
}

var markup = regexp.MustCompile("<[^>]*>|`")

func plainText(text string) string {
	return strings.Join(strings.Fields(markup.ReplaceAllString(text, "")), " ")
}

// sections are the parts of an operation's page.
func (o operation) sections() []section {
	var all []section
	add := func(anchor, title string, there bool) {
		if there {
			all = append(all, section{Anchor: anchor, Title: title, Level: 2})
		}
	}
	add("request", "Request", true)
	add("parameters", "Parameters", len(o.Parameters) > 0)
	add("response", "Response", true)
	add("headers", "Headers", len(o.Response.Headers) > 0)
	add("errors", "Errors", len(o.Errors) > 0)
	return all
}
