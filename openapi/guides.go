package openapi

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed guides/bi-guide.md
var biGuide string

//go:embed guides/agent-guide.md
var agentGuide string

const (
	// exampleAddress is the service's address in the guides as they are written.
	exampleAddress = "https://clientintel.example.com"
	// relativeLink begins a link from a guide to another public document.
	relativeLink = "](./"
)

// BIGuide returns the guide for analysts, in Markdown. With publicURL, links and
// examples have that address. Without it, links are relative, and examples keep
// an example address that the guide tells its reader to replace. A request's Host
// header is never used: a forged one would make the reader send the key elsewhere.
func BIGuide(publicURL string) []byte { return guideAt(biGuide, publicURL) }

// AgentGuide returns the guide for AI agents, in Markdown. publicURL is as for
// BIGuide.
func AgentGuide(publicURL string) []byte { return guideAt(agentGuide, publicURL) }

func guideAt(text, publicURL string) []byte {
	if publicURL == "" {
		return []byte(text)
	}
	base := strings.TrimRight(publicURL, "/")
	return []byte(strings.NewReplacer(relativeLink, "]("+base+"/api/client/v1/", exampleAddress, base).Replace(text))
}

//go:embed connectors
var connectors embed.FS

// Connectors are the files for tools that load the API, below connectors/.
func Connectors() fs.FS { return connectors }

//go:embed generated/clients
var clients embed.FS

// Clients are the packages of the published clients and their hashes, below generated/clients/.
func Clients() fs.FS { return clients }
