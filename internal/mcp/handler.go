package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/server"
	"github.com/clientintel/clientintel/openapi"
)

// Handler serves the protocol's endpoint.
type Handler struct {
	api     *server.Server // admits requests and runs the operations behind the tools
	origins origins
	sdk     http.Handler

	tools          []tool
	implementation *sdk.Implementation // how the server names itself

	mu      sync.Mutex
	servers map[uint]*sdk.Server // by the visible tools' bits
}

// New reads the tools' schemas from the contract and builds the handler. Requests from
// the origin of the public URL are allowed; empty: there is none. MCP clients are shown
// the version.
func New(api *server.Server, publicURL, version string) (*Handler, error) {
	origins, err := newOrigins(publicURL)
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
		api: api, origins: origins, tools: texts.Tools, servers: map[uint]*sdk.Server{},
		implementation: &sdk.Implementation{Name: "clientintel", Title: "Client Intelligence", Version: version},
	}
	for i, t := range h.tools {
		declared, known := schemas[t.Operation]
		if !known {
			return nil, fmt.Errorf("declaring %s: the contract has no operation %s", t.Name, t.Operation)
		}
		h.tools[i].declaration = texts.declare(t, declared)
		var schema struct{ Properties map[string]parameter }
		if err := json.Unmarshal(declared.Parameters, &schema); err != nil {
			return nil, fmt.Errorf("reading the parameters of %s: %w", t.Operation, err)
		}
		h.tools[i].parameters = schema.Properties
	}
	h.sdk = sdk.NewStreamableHTTPHandler(h.serverFor, &sdk.StreamableHTTPOptions{
		Stateless:           true,
		JSONResponse:        true,
		MaxRequestBodyBytes: maxMessage,
		// ServeHTTP refuses foreign origins and hosts, before authentication.
		DisableLocalhostProtection: true,
	})
	return h, nil
}

// ServeHTTP checks the origin, then authenticates and admits the request. Nothing of its
// body is read before.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.origins.allow(r) {
		middleware.WriteError(w, r, apierror.ForeignOrigin("the Origin header names a web page of another site; leave it out, or call from this service's own origin"))
		return
	}
	if r.Header.Get("Mcp-Protocol-Version") != "" {
		middleware.RecordFrom(r.Context()).EncodeError = encodeUnavailable
	}
	h.api.Protect(http.HandlerFunc(h.serveMessage)).ServeHTTP(w, r)
}

// serveMessage checks the form of an admitted request and passes it to the SDK.
func (h *Handler) serveMessage(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		middleware.WriteError(w, r, apierror.MethodNotAllowed)
		return
	}
	if err := checkHeaders(r.Header); err != nil {
		middleware.WriteError(w, r, err)
		return
	}
	body, err := readBody(w, r)
	if err != nil {
		middleware.WriteError(w, r, err)
		return
	}
	message, refused := parseMessage(body)
	switch {
	case refused != nil:
		writeError(w, r, http.StatusBadRequest, message.ID, *refused)
		return
	case message.isNotification():
		// The SDK refuses those that it does not know. No other means anything to a
		// server without sessions.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	response := &sdkResponse{ResponseWriter: w, request: r, id: message.ID}
	h.sdk.ServeHTTP(response, requestForSDK(r, body))
	if response.err != nil {
		// The caller must not take a part of a response for all of it.
		middleware.RecordFrom(r.Context()).Err = response.err
		panic(http.ErrAbortHandler)
	}
}

type requestContextKey struct{}

// requestContext returns the context of the HTTP request that a call came with. The SDK
// lets calls of the older revisions outlive their request.
func requestContext(ctx context.Context) context.Context {
	if of, ok := ctx.Value(requestContextKey{}).(context.Context); ok {
		return of
	}
	return ctx
}
