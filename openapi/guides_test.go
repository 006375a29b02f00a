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
