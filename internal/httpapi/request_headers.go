package httpapi

import (
	"net/http"
	"strings"
)

// usedHeaders are the request headers that the server or its libraries read, besides
// those of MCP.
var usedHeaders = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Authorization": true, "Connection": true, "Content-Encoding": true, "Content-Type": true,
	"Expect": true, "If-Modified-Since": true, "If-None-Match": true, "Origin": true, "Traceparent": true, "Tracestate": true,
	"X-Request-Id": true,
}

// mcpHeaders is the prefix of MCP's headers.
const mcpHeaders = "Mcp-"

// dropUnusedHeaders removes headers that nothing reads: thousands of requests may wait at
// once, each with up to maxHeaders.
func dropUnusedHeaders(r *http.Request) {
	used := make(http.Header, len(usedHeaders)/2)
	for name, values := range r.Header {
		if usedHeaders[name] || strings.HasPrefix(name, mcpHeaders) {
			used[name] = values
		}
	}
	r.Header = used // in place: the connection keeps this request, not a copy
}
