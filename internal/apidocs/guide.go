package apidocs

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/clientintel/clientintel/openapi"
)

// guide is one of the published guides, to be read in a browser.
type guide struct {
	Title, Name string
	Text        template.HTML
	Headings    []heading
}

const apiPath = "/api/client/v1/"

var firstLine = regexp.MustCompile(`^# (.+)\n`)

// renderGuide renders the guide as it is served. Its links to the other guide lead
// to that guide's page.
func renderGuide(name, publicURL string) (guide, error) {
	source := openapi.BIGuide(publicURL)
	if name == "agent-guide" {
		source = openapi.AgentGuide(publicURL)
	}
	title := firstLine.FindSubmatch(source)
	if title == nil {
		return guide{}, fmt.Errorf("%s has no title", name)
	}
	neighbour := "](./"
	if publicURL != "" {
		neighbour = "](" + publicURL + apiPath
	}
	links := strings.NewReplacer(
		neighbour+"bi-guide.md", "](bi-guide", neighbour+"agent-guide.md", "](agent-guide", neighbour, "](.."+apiPath)
	body, headings, err := render(links.Replace(string(source)))
	if err != nil {
		return guide{}, fmt.Errorf("%s: %w", name, err)
	}
	return guide{Title: string(title[1]), Name: name, Text: body, Headings: headings}, nil
}
