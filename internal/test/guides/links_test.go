package guides_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/clientintel/clientintel/openapi"
)

var link = regexp.MustCompile(`\]\(([^)]*)\)`)

func guideSources() map[string]string {
	return map[string]string{biGuide: string(openapi.BIGuide("")), agentGuide: string(openapi.AgentGuide(""))}
}

// The guides are served in three places: they link to each other and to the
// contract only.
func TestGuides_LinkToPublicDocuments(t *testing.T) {
	t.Parallel()
	documents := []string{"./openapi.json", "./" + biGuide, "./" + agentGuide}
	for guide, markdown := range guideSources() {
		links := link.FindAllStringSubmatch(markdown, -1)
		if len(links) == 0 {
			t.Errorf("%s: no links found", guide)
		}
		for _, l := range links {
			if !slices.Contains(documents, l[1]) {
				t.Errorf("%s links to %s, which is no public document", guide, l[1])
			}
		}
	}
}
