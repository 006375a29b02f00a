package middleware

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// escapedPlain are escapes of letters, digits and -._~, which mean the same unescaped (RFC
// 3986, 6.2.2.2).
var escapedPlain = regexp.MustCompile(`%(2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])`)

// unescapePath takes such escapes out of a request's path, by which it is routed.
func unescapePath(r *http.Request) {
	path := escapedPlain.ReplaceAllStringFunc(r.URL.RawPath, func(escape string) string {
		plain, _ := url.PathUnescape(escape)
		return plain
	})
	if !strings.Contains(path, "%") {
		path = "" // it is that of Path then
	}
	r.URL.RawPath = path
}
