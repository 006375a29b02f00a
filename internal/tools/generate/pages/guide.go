package pages

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
)

// guide is one of the published guides, to be read in a browser.
type guide struct {
	Title    string
	Name     string
	Text     template.HTML
	Headings []heading
}

var firstLine = regexp.MustCompile(`^# (.+)\n`)

// renderGuide renders a guide. Its links to the other guide lead to that guide's
// page.
func renderGuide(name string, source []byte) (guide, error) {
	title := firstLine.FindSubmatch(source)
	if title == nil {
		return guide{}, fmt.Errorf("%s has no title", name)
	}
	links := strings.NewReplacer(
		"](./bi-guide.md", "](bi-guide", "](./agent-guide.md", "](agent-guide", "](./", "](.."+apiPath)
	body, headings, err := render(links.Replace(string(source)))
	if err != nil {
		return guide{}, fmt.Errorf("%s: %w", name, err)
	}
	return guide{Title: string(title[1]), Name: name, Text: body, Headings: headings}, nil
}
