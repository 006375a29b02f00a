package openapi_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/openapi"
)

func guides(publicURL string) map[string]string {
	return map[string]string{"bi": string(openapi.BIGuide(publicURL)), "agent": string(openapi.AgentGuide(publicURL))}
}

// The address is put in, and nothing else changes: taking it out again gives the
// guide as it was written.
func TestGuides_ChangeTheAddressOnly(t *testing.T) {
	t.Parallel()
	const address = "https://intel.brand.example/front"
	for _, publicURL := range []string{address, address + "/"} {
		for name, guide := range guides(publicURL) {
			written := guides("")[name]
			if strings.Contains(guide, "example.com") || strings.Count(guide, address) < 4 {
				t.Errorf("the %s guide at %s names other addresses", name, publicURL)
			}
			back := strings.ReplaceAll(guide, "]("+address+"/api/client/v1/", "](./")
			back = strings.ReplaceAll(back, address, "https://clientintel.example.com")
			if back != written {
				t.Errorf("the %s guide at %s differs in more than the address", name, publicURL)
			}
		}
	}
}

// The handed-out guide is a copy: no caller can change what others are served.
func TestGuides_CannotBeChangedByACaller(t *testing.T) {
	t.Parallel()
	openapi.BIGuide("")[0] = '!'
	openapi.AgentGuide("")[0] = '!'
	for name, guide := range guides("") {
		if !strings.HasPrefix(guide, "# ") {
			t.Errorf("a caller changed the %s guide", name)
		}
	}
}

// Customers read the guides: lines fit a terminal, and no word is left for us.
func TestGuides_AreFitToPublish(t *testing.T) {
	t.Parallel()
	for name, guide := range guides("") {
		if !strings.HasSuffix(guide, "\n") || strings.Contains(guide, "\r") || strings.Contains(guide, "\t") {
			t.Errorf("the %s guide wants line feeds only, one at its end, and no tabs", name)
		}
		for i, line := range strings.Split(guide, "\n") {
			if strings.TrimRight(line, " ") != line {
				t.Errorf("the %s guide, line %d: trailing spaces", name, i+1)
			}
			if len([]rune(line)) > 120 && !strings.HasPrefix(line, "|") && !strings.Contains(line, "    \"") {
				t.Errorf("the %s guide, line %d: %d characters", name, i+1, len([]rune(line)))
			}
			for _, word := range []string{"TODO", "FIXME", "XXX", "localhost", "127.0.0.1"} {
				if strings.Contains(line, word) {
					t.Errorf("the %s guide, line %d: says %s", name, i+1, word)
				}
			}
		}
	}
}
