package httpapi

import (
	"net/url"
	"strings"
)

// links are the values of Link headers, which lead a caller that knows nothing
// but an address to the documentation.
type links struct {
	// contract is shared by all answers, so it has no room to append to.
	contract []string
	help     string
}

// newLinks makes links that hold behind a proxy that adds a path.
func newLinks(publicURL string, docs bool) links {
	base := ""
	if u, err := url.Parse(publicURL); err == nil {
		base = strings.TrimRight(u.EscapedPath(), "/")
	}
	help := Prefix + "/bi-guide.md"
	if docs {
		help = "/docs"
	}
	contract := []string{"<" + base + Prefix + `/openapi.json>; rel="service-desc"`}
	return links{contract: contract[:1:1], help: "<" + base + help + `>; rel="help"`}
}
