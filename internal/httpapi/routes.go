package httpapi

import (
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/apierror"
)

// Prefix is what every route of the API begins with.
const Prefix = "/api/client/v1"

const mcpPath = Prefix + "/mcp"

// Handler routes every request: to the contract's operations, the MCP adapter or
// a public document. Any other is refused in the error envelope.
func (s *Server) Handler(mcp http.Handler) (http.Handler, error) {
	compress, err := newCompression()
	if err != nil {
		return nil, err
	}
	router := chi.NewRouter()
	for id, endpoint := range s.endpoints {
		router.Method(http.MethodGet, s.contract.operations[id].path, withOperation(id, s.Admit(id, IsCheap(id), endpoint)))
	}
	mcp = withOperation("mcp", mcp)
	router.Handle(mcpPath, mcp)
	for _, d := range s.documents {
		serve := func(w http.ResponseWriter, r *http.Request) {
			recordFrom(r.Context()).operation = path.Base(d.path)
			if err := s.deps.Limiter.AwaitUncounted(r.Context()); err != nil {
				writeError(w, r, err)
				return
			}
			d.ServeHTTP(w, r)
		}
		router.Get(d.path, serve)
		router.Head(d.path, serve)
	}
	router.NotFound(func(w http.ResponseWriter, r *http.Request) { s.RefuseUncounted(w, r, apierror.NotFound) })
	// chi calls this for any path if it does not know the method.
	router.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		takes := func(method string) bool { return router.Match(chi.NewRouteContext(), method, r.URL.EscapedPath()) }
		switch {
		case r.URL.EscapedPath() == mcpPath:
			mcp.ServeHTTP(w, r)
			return
		case takes(http.MethodHead):
			w.Header().Set("Allow", "GET, HEAD")
		case takes(http.MethodGet):
			w.Header().Set("Allow", http.MethodGet)
		default:
			s.RefuseUncounted(w, r, apierror.NotFound)
			return
		}
		s.RefuseUncounted(w, r, apierror.MethodNotAllowed)
	})
	return s.accessLog(s.setDefaultHeaders(s.refuseTransferEncoding(s.compressInSlots(compress, router)))), nil
}

// refuseTransferEncoding refuses bodies of unknown length in requests without a body, and
// closes every connection that carried one: a proxy in front and this server could
// disagree on where the next request begins. net/http drops the header of HTTP/1.0
// requests, so all their connections are closed.
func (s *Server) refuseTransferEncoding(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !r.ProtoAtLeast(1, 1) || len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		if len(r.TransferEncoding) > 0 && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			s.RefuseUncounted(w, r, apierror.InvalidHeader(
				"Transfer-Encoding: a "+r.Method+" has no body. Send the request without this header."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// setDefaultHeaders keeps responses out of every cache, which public documents override,
// and links the contract in responses of the API.
func (s *Server) setDefaultHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recordFrom(r.Context()).help = s.links.help
		if below, ok := strings.CutPrefix(r.URL.Path, Prefix); ok && (below == "" || below[0] == '/') {
			w.Header()["Link"] = s.links.contract
		}
		w.Header().Set("Cache-Control", "private, no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}
