package httpapi

import (
	"net/http"
	"strings"
)

// usedHeaders are the request headers that the server or its libraries read, beside
// those of the agents' protocol.
var usedHeaders = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Authorization": true, "Connection": true, "Content-Encoding": true, "Content-Type": true,
	"Expect": true, "If-Modified-Since": true, "If-None-Match": true, "Origin": true, "Traceparent": true, "Tracestate": true,
	"X-Request-Id": true,
}

// mcpHeaders is what the names of the agents' protocol begin with.
const mcpHeaders = "Mcp-"

// dropUnusedHeaders lets go of the headers that nothing reads: thousands of requests may
// wait at once, each with as many headers as are accepted.
func dropUnusedHeaders(r *http.Request) {
	used := make(http.Header, len(usedHeaders)/2)
	for name, values := range r.Header {
		if usedHeaders[name] || strings.HasPrefix(name, mcpHeaders) {
			used[name] = values
		}
	}
	r.Header = used // of this very request, which the connection holds
}
