package httpapi

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/klauspost/compress/gzhttp"

	"github.com/clientintel/clientintel/internal/apierror"
)

// Prefix is what every route of the API begins with.
const Prefix = "/api/client/v1"

const mcpPath = Prefix + "/mcp"

// Handler routes every request: to the contract's operations, the MCP adapter or
// a public document. Any other is refused in the error envelope.
func (s *Server) Handler(mcp http.Handler) (http.Handler, error) {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1400), gzhttp.CompressionLevel(1))
	if err != nil {
		return nil, err
	}
	router := chi.NewRouter()
	for id, endpoint := range s.endpoints {
		router.Method(http.MethodGet, s.contract.operations[id].path, withOperation(id, s.Admit(id, endpoint)))
	}
	mcp = withOperation("mcp", mcp)
	router.Handle(mcpPath, mcp)
	for _, d := range s.documents {
		router.Method(http.MethodGet, d.path, d)
		router.Method(http.MethodHead, d.path, d)
	}
	router.NotFound(func(w http.ResponseWriter, r *http.Request) { writeError(w, r, apierror.NotFound()) })
	router.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == mcpPath { // a method that chi does not know
			mcp.ServeHTTP(w, r)
			return
		}
		allow := http.MethodGet
		if router.Match(chi.NewRouteContext(), http.MethodHead, r.URL.Path) {
			allow = "GET, HEAD"
		}
		w.Header().Set("Allow", allow)
		writeError(w, r, apierror.MethodNotAllowed())
	})
	return s.accessLog(setDefaultHeaders(refuseTransferEncoding(compress(router)))), nil
}

// refuseTransferEncoding refuses bodies of unknown length where none belongs, and
// ends every connection that carried one: a proxy in front and this server could
// disagree on where the next request begins.
func refuseTransferEncoding(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			writeError(w, r, apierror.InvalidParameter(
				"Transfer-Encoding: a "+r.Method+" has no body. Send the request without this header."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// setDefaultHeaders keeps answers to keys out of every cache. Public documents
// override it.
func setDefaultHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}
