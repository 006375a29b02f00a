package pages

import (
	"regexp"
	"strings"
)

// entry is a place that the pages' search finds. URL is relative to the folder of
// all pages.
type entry struct {
	Title string `json:"title"`
	Where string `json:"where"`
	URL   string `json:"url"`
}

var errorCode = regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")

// searchIndex lists operations with their parameters, status and fields, and the
// parts of the introduction with the codes in them.
func searchIndex(r reference) []entry {
	var all []entry
	known := map[entry]bool{}
	add := func(title, where, url string) {
		if e := (entry{title, where, url}); !known[e] {
			known[e] = true
			all = append(all, e)
		}
	}
	for _, g := range r.Groups {
		for _, o := range g.Operations {
			add(o.Summary, o.Method+" "+o.Path, o.ID)
			for _, p := range o.Parameters {
				add(p.Name, "parameter of "+o.Summary, o.ID+"#parameters")
			}
			for _, response := range o.Responses {
				for _, name := range namesOf(response.Fields) {
					add(name, "field of "+o.Summary+", "+response.Status, o.ID+"#responses")
				}
				for _, e := range response.Examples {
					if code := fieldCode.FindStringSubmatch(e.Text); code != nil {
						add(code[1], "error of "+o.Summary+", "+response.Status, o.ID+"#responses")
					}
				}
			}
		}
	}
	for _, h := range r.Headings {
		add(h.Title, "Reference", "../docs#"+h.Anchor)
	}
	for _, code := range errorCode.FindAllStringSubmatch(r.Description, -1) {
		add(code[1], "Reference", "../docs")
	}
	return all
}

var fieldCode = regexp.MustCompile(`"code": "([a-z_]+)"`)

func namesOf(fields []field) []string {
	var names []string
	for _, f := range fields {
		names = append(append(names, f.Name), namesOf(f.Fields)...)
	}
	return names
}

// headings are the parts of an operation's page.
func (o operation) headings() []heading {
	parts := []heading{{"request", "Request"}, {"responses", "Responses"}}
	if len(o.Parameters) > 0 {
		parts = append([]heading{{"parameters", "Parameters"}}, parts...)
	}
	return parts
}

// entries are a guide's headings.
func (g guide) entries() []entry {
	all := []entry{{g.Title, "Guide", g.Name}}
	for _, h := range g.Headings {
		all = append(all, entry{strings.TrimLeft(h.Title, "0123456789. "), g.Title, g.Name + "#" + h.Anchor})
	}
	return all
}
