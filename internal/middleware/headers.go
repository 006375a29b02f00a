package middleware

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/clientintel/clientintel/internal/apierror"
)

// Prefix is what every route of the API begins with.
const Prefix = "/api/client/v1"

// Links are the values of Link headers that point to the contract and the documentation.
type Links struct{ prefix, contract, help string }

// AdminLinks are those of the administration API, whose routes begin with the prefix.
func AdminLinks(prefix string) Links {
	return Links{prefix, "<" + prefix + `/openapi.json>; rel="service-desc"`, `</>; rel="help"`}
}

// NewLinks makes links that stay right behind a proxy that adds a path.
func NewLinks(publicURL string, docs bool) Links {
	base := ""
	if u, err := url.Parse(publicURL); err == nil {
		base = strings.TrimRight(u.EscapedPath(), "/")
	}
	help := Prefix + "/bi-guide.md"
	if docs {
		help = "/docs"
	}
	return Links{
		prefix:   Prefix,
		contract: "<" + base + Prefix + `/openapi.json>; rel="service-desc"`,
		help:     "<" + base + help + `>; rel="help"`,
	}
}

// Headers keeps responses out of every cache, which public documents override, and links
// the contract in responses of the API, and the documentation in its 401 and 404. It
// refuses bodies of unknown length in requests without a body, and closes every connection
// that carried one: a proxy in front and this server could disagree on where the next
// request begins. net/http drops that header of HTTP/1.0 requests, so all their
// connections are closed. It takes escapes out of the path that change nothing.
func Headers(links Links) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			RecordFrom(r.Context()).help = links.help
			if r.URL.RawPath != "" {
				unescapePath(r)
			}
			h := w.Header()
			h.Set("Cache-Control", "private, no-store")
			h.Set("X-Content-Type-Options", "nosniff")
			if r.TLS != nil {
				h.Set("Strict-Transport-Security", "max-age=31536000")
			}
			if below, ok := strings.CutPrefix(r.URL.Path, links.prefix); ok && (below == "" || below[0] == '/') {
				h.Add("Link", links.contract)
			}
			if !r.ProtoAtLeast(1, 1) || len(r.TransferEncoding) > 0 {
				h.Set("Connection", "close")
			}
			if len(r.TransferEncoding) > 0 && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
				WriteError(w, r, apierror.InvalidHeader(
					"Transfer-Encoding: a "+r.Method+" has no body. Send the request without this header."))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
