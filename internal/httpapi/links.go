package httpapi

import (
	"net/url"
	"strings"
)

// links are the values of Link headers that point to the contract and the documentation.
type links struct {
	// contract is shared by all responses: its capacity is its length, so that append
	// copies it.
	contract []string
	help     string
}

// newLinks makes links that stay right behind a proxy that adds a path.
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
