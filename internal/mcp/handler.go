package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/httpapi"
	"github.com/clientintel/clientintel/openapi"
)

// Handler serves the protocol's endpoint.
type Handler struct {
	api       *httpapi.Server // admits requests and runs the operations behind the tools
	public    origin
	transport http.Handler

	tools          []tool
	implementation *sdk.Implementation // how the server names itself
	// newestPrefix is what a result of the newest revision begins with.
	newestPrefix []byte

	mu      sync.Mutex
	servers map[uint]*sdk.Server // by the visible tools' bits
}

// New reads the tools' schemas from the contract and builds the handler. Requests from
// the origin of the public URL are allowed; empty: there is none. MCP clients are shown
// the version.
func New(api *httpapi.Server, publicURL, version string) (*Handler, error) {
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
	name, _ := json.Marshal(h.implementation) // texts
	h.newestPrefix = fmt.Appendf(nil, `"resultType":"complete","_meta":{%q:%s},`, sdk.MetaKeyServerInfo, name)
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
		h.api.RefuseUncounted(w, r, apierror.ForeignOrigin("the Origin header names a web page of another site; leave it out, or call from this service's own origin"))
		return
	}
	current := &request{}
	httpapi.EncodeErrors(r, func(status int, e *apierror.Error, envelope []byte) []byte {
		return current.encodeError(w, r, status, e, envelope)
	})
	early := current.readEarly(w, r, h.api.IsLikelyAdmitted(r))
	if current.messageErr != nil {
		// The request's context may have ended with its body; the error must still be sent.
		r = r.WithContext(context.WithoutCancel(r.Context()))
	}
	h.api.Admit("mcp", early, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serveMessage(w, r, current) })).ServeHTTP(w, r)
}

// serveMessage handles a request that is admitted or likely to be. Before it is admitted
// the message is read, and the rows of a cheap call.
func (h *Handler) serveMessage(w http.ResponseWriter, r *http.Request, current *request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		h.api.Refuse(w, r, apierror.MethodNotAllowed)
		return
	}
	current.ctx = r.Context()
	current.reservation = h.api.Unsent().NewReservation(auth.CallerFrom(r.Context()).ClientID)
	defer current.reservation.Release()
	message, err := current.readMessage(w, r)
	if err != nil {
		h.api.Refuse(w, r, err)
		return
	}
	call, direct := h.parseDirectCall(r, current.members, current.id)
	if !direct || !httpapi.IsCheap(call.tool.Operation) {
		var admitted bool
		if w, admitted = httpapi.AwaitAdmission(w); !admitted {
			return
		}
	}
	if direct {
		h.writeDirectCall(w, r, current, call)
		return
	}
	rewriter := &errorRewriter{ResponseWriter: w, request: current}
	h.transport.ServeHTTP(rewriter, withRequest(replaceBody(r, message), current))
	switch err := rewriter.err(); {
	case rewriter.isUnknownMethod() && current.id != nil: // a notification has no response
		rewriter.code = jsonrpc.CodeMethodNotFound
		current.writeUnknownMethod(w)
	case err != nil:
		h.api.Refuse(w, r, err)
	}
	if rewriter.code != 0 {
		httpapi.RecordError(r, fmt.Errorf("jsonrpc_%d", rewriter.code))
	}
	breakOff(r, rewriter.writeErr)
}

// breakOff closes the connection of a response that could not be sent whole, so that a
// part of it does not end as a response does. Nil: it was sent.
func breakOff(r *http.Request, err error) {
	if err != nil {
		httpapi.RecordError(r, err)
		panic(http.ErrAbortHandler)
	}
}
