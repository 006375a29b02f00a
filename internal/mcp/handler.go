package mcp

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/server"
	"github.com/clientintel/clientintel/openapi"
)

// Handler serves the protocol's endpoint.
type Handler struct {
	api       *server.Server // admits requests and runs the operations behind the tools
	public    origin
	transport http.Handler

	tools          []tool
	implementation *sdk.Implementation // how the server names itself

	mu      sync.Mutex
	servers map[uint]*sdk.Server // by the visible tools' bits
}

// New reads the tools' schemas from the contract and builds the handler. Requests from
// the origin of the public URL are allowed; empty: there is none. MCP clients are shown
// the version.
func New(api *server.Server, publicURL, version string) (*Handler, error) {
	public, err := parsePublicOrigin(publicURL)
	if err != nil {
		return nil, err
	}
	schemas, err := openapi.ReadSchemas()
	if err != nil {
		return nil, err
	}
	texts, err := readTexts()
	if err != nil {
		return nil, err
	}
	h := &Handler{
		api: api, public: public, tools: texts.Tools, servers: map[uint]*sdk.Server{},
		implementation: &sdk.Implementation{Name: "clientintel", Title: "Client Intelligence", Version: version},
	}
	for i, t := range h.tools {
		declared, known := schemas[t.Operation]
		if !known {
			return nil, fmt.Errorf("declaring %s: the contract has no operation %s", t.Name, t.Operation)
		}
		h.tools[i].declaration = texts.declare(t, declared)
	}
	h.transport = sdk.NewStreamableHTTPHandler(h.serverFor, &sdk.StreamableHTTPOptions{
		Stateless:           true,
		JSONResponse:        true,
		MaxRequestBodyBytes: maxMessage,
		// ServeHTTP refuses foreign origins and hosts, before authentication.
		DisableLocalhostProtection:   true,
		PropagateRequestCancellation: true,
	})
	return h, nil
}

// ServeHTTP checks the origin, authenticates and admits the request, checks its
// form, and only then passes it to the SDK.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.public.allows(r) {
		middleware.WriteError(w, r, apierror.ForeignOrigin("the Origin header names a web page of another site; leave it out, or call from this service's own origin"))
		return
	}
	current := &request{}
	middleware.RecordFrom(r.Context()).EncodeError = func(status int, e *apierror.Error, envelope []byte) []byte {
		return current.encodeError(w, r, status, e, envelope)
	}
	h.api.Protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serveMessage(w, r, current) })).ServeHTTP(w, r)
}

// serveMessage handles an admitted request.
func (h *Handler) serveMessage(w http.ResponseWriter, r *http.Request, current *request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		middleware.WriteError(w, r, apierror.MethodNotAllowed)
		return
	}
	current.ctx = r.Context()
	message, err := current.readMessage(w, r)
	if err != nil {
		middleware.WriteError(w, r, err)
		return
	}
	rewriter := &errorRewriter{ResponseWriter: w, request: current}
	h.transport.ServeHTTP(rewriter, withRequest(replaceBody(r, message), current))
	switch err := rewriter.err(); {
	case rewriter.isUnknownMethod() && current.id != nil: // a notification has no response
		rewriter.code = jsonrpc.CodeMethodNotFound
		current.writeUnknownMethod(w)
	case err != nil:
		middleware.WriteError(w, r, err)
	}
	if rewriter.code != 0 {
		middleware.RecordFrom(r.Context()).Err = fmt.Errorf("jsonrpc_%d", rewriter.code)
	}
	breakOff(r, rewriter.writeErr)
}

// breakOff closes the connection of a response that could not be sent whole, so that a
// part of it does not end as a response does. Nil: it was sent.
func breakOff(r *http.Request, err error) {
	if err != nil {
		middleware.RecordFrom(r.Context()).Err = err
		panic(http.ErrAbortHandler)
	}
}
