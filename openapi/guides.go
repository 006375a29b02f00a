package openapi

import (
	_ "embed"
	"strings"
)

//go:embed guides/bi-guide.md
var biGuide string

//go:embed guides/agent-guide.md
var agentGuide string

const (
	// exampleAddress stands in the guides where a reader pastes the service's
	// address.
	exampleAddress = "https://clientintel.example.com"
	// neighbour begins the target of a link from a guide to another public
	// document.
	neighbour = "](./"
)

// BIGuide returns the guide for analysts, in Markdown. With publicURL, links
// and lines to paste name that address. Without it, links are relative to the
// guide and lines to paste keep an example address, which the guide tells its
// reader to replace: a guide never repeats what a request says of itself, as a
// Host header that somebody made up would send the reader's key elsewhere.
func BIGuide(publicURL string) []byte { return guideAt(biGuide, publicURL) }

// AgentGuide returns the guide for AI agents and for who connects them, in
// Markdown. publicURL is as for BIGuide.
func AgentGuide(publicURL string) []byte { return guideAt(agentGuide, publicURL) }

func guideAt(text, publicURL string) []byte {
	if publicURL == "" {
		return []byte(text)
	}
	base := strings.TrimRight(publicURL, "/")
	return []byte(strings.NewReplacer(neighbour, "]("+base+"/api/client/v1/", exampleAddress, base).Replace(text))
}
