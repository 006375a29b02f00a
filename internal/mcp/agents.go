package mcp

import (
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/httpapi"
)

// Deps are what the adapter works with.
type Deps struct {
	// Edge admits requests and answers the operations behind the tools.
	Edge *httpapi.Server
	// PublicURL is the address that the service is known by; its origin is no
	// foreign one. Empty: none is known.
	PublicURL string
	// Version is the release, as told to agents.
	Version string
}

// Agents is the adapter, an http.Handler.
type Agents struct {
	edge      *httpapi.Server
	home      origin
	catalogue *catalogue
	transport http.Handler
	memory    memory
}

// New reads the tools' schemas out of the contract and builds the adapter.
func New(d Deps) (*Agents, error) {
	home, err := parseHome(d.PublicURL)
	if err != nil {
		return nil, err
	}
	a := &Agents{edge: d.Edge, home: home}
	if a.catalogue, err = newCatalogue(d.Version, a.handler, d.Edge.Allows); err != nil {
		return nil, err
	}
	a.transport = sdk.NewStreamableHTTPHandler(a.serverFor, &sdk.StreamableHTTPOptions{
		Stateless:           true,
		JSONResponse:        true,
		MaxRequestBodyBytes: maxMessage,
		// Foreign origins and hosts are refused before any key is looked at.
		DisableLocalhostProtection:   true,
		PropagateRequestCancellation: true,
	})
	return a, nil
}

func (a *Agents) serverFor(r *http.Request) *sdk.Server {
	return a.catalogue.serverFor(access.CallerFrom(r.Context()))
}

// ServeHTTP takes a request through origin, key and quota, form and only then
// to the protocol.
func (a *Agents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.home.admits(r) {
		a.edge.Refuse(w, r, fault.ForeignOrigin("the Origin header names a web page of another site; leave it out, or call from this service's own origin"))
		return
	}
	a.edge.Admit("mcp", http.HandlerFunc(a.converse)).ServeHTTP(w, r)
}

// converse answers a caller who was admitted.
func (a *Agents) converse(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		a.edge.Refuse(w, r, fault.WrongMethod())
		return
	}
	message, err := readMessage(w, r)
	if err != nil {
		a.edge.Refuse(w, r, err)
		return
	}
	v := &visit{ctx: r.Context(), memory: &a.memory}
	defer v.leave()
	guarded := &answerGuard{ResponseWriter: w}
	a.transport.ServeHTTP(guarded, withVisit(replaceBody(r, message), v))
	if err := guarded.refusal(); err != nil {
		a.edge.Refuse(w, r, err)
	}
}
