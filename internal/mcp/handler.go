package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
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
	public  *url.URL
	version string
	tools   []tool
	sdk     http.Handler

	mu      sync.Mutex
	servers map[uint]*sdk.Server // by the visible tools' bits
}

// New reads the tools and builds the handler. Pages of the public URL are allowed; empty:
// there is none. MCP clients are shown the version.
func New(api *server.Server, publicURL, version string) (*Handler, error) {
	public, err := url.Parse(strings.ToLower(publicURL))
	if err != nil {
		return nil, fmt.Errorf("reading the public address: %w", err)
	}
	h := &Handler{api: api, public: public, version: version, servers: map[uint]*sdk.Server{}}
	if err := json.Unmarshal(openapi.Tools(), &h.tools); err != nil {
		return nil, fmt.Errorf("reading the tools: %w", err)
	}
	h.sdk = sdk.NewStreamableHTTPHandler(h.serverFor, &sdk.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 true,
		PropagateRequestCancellation: true,
		// ServeHTTP refuses foreign origins and hosts, before authentication.
		DisableLocalhostProtection: true,
	})
	return h, nil
}

// ServeHTTP checks the origin, then authenticates and admits the request. Nothing of its
// body is read before.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.allowsOrigin(r) {
		middleware.WriteError(w, r, apierror.ForeignOrigin("the Origin header names a web page of another site; leave it out, or call from this service's own origin"))
		return
	}
	if r.Header.Get("Mcp-Protocol-Version") != "" {
		middleware.RecordFrom(r.Context()).EncodeError = encodeUnavailable
	}
	h.api.Protect(http.HandlerFunc(h.serveMessage)).ServeHTTP(w, r)
}

// allowsOrigin reports whether a request comes from no web page, or from one of the public
// address or of the host it was sent to. Agents send no Origin; browsers send it with every
// POST. A page may let its own name resolve to a loopback address, where it is not trusted.
func (h *Handler) allowsOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || origin == h.public.Scheme+"://"+h.public.Host {
		return true
	}
	page, err := url.Parse(origin)
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return err == nil && page.Host == r.Host && (local == nil || !local.IP.IsLoopback() ||
		page.Hostname() == "localhost" || net.ParseIP(page.Hostname()).IsLoopback())
}

// serveMessage checks the form of an admitted request and passes it to the SDK.
func (h *Handler) serveMessage(w http.ResponseWriter, r *http.Request) {
	body, err := readMessage(w, r)
	if err != nil {
		middleware.WriteError(w, r, err)
		return
	}
	id, isNotification, refused := parseMessage(body)
	switch {
	case refused != nil:
		writeError(w, r, http.StatusBadRequest, id, *refused)
		return
	case isNotification:
		// The SDK refuses those that it does not know. No other means anything to a
		// server without sessions.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream") // the SDK wants both
	response := server.NewRecorder()
	h.sdk.ServeHTTP(response, r)
	if r.Context().Err() == nil { // else the caller has left
		writeResponse(w, r, id, response)
	}
}
