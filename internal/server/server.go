package server

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/documents"
	"github.com/clientintel/clientintel/internal/handler"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Deps are what a Server needs.
type Deps struct {
	Limiter *ratelimit.Limiter
	Readers handler.Readers
	// Observers are told of each finished request.
	Observers middleware.Observers
	// Validation is how responses are validated against the contract.
	Validation config.ResponseValidation
	// PublicURL is the address that the contract and the guides name.
	PublicURL string
	// Docs serves the pages for people and agents.
	Docs bool
}

// Server serves the API.
type Server struct {
	deps      Deps
	contract  *middleware.Contract
	responses *middleware.ResponseValidator
	handlers  api.ServerInterface
	documents documents.Documents
	links     middleware.Links
	// admit and share are one for all routes.
	admit, share func(http.Handler) http.Handler
	// operations answer admitted calls in-process.
	operations chi.Router
}

// New reads the contract and prepares the handlers of its operations.
func New(d Deps) (*Server, error) {
	contract, err := middleware.LoadContract()
	if err != nil {
		return nil, err
	}
	public, err := documents.New(d.PublicURL, d.Docs)
	if err != nil {
		return nil, err
	}
	s := &Server{
		deps: d, contract: contract, documents: public, links: middleware.NewLinks(d.PublicURL, d.Docs),
		responses: middleware.NewResponseValidator(d.Validation, d.Observers.Log),
		handlers:  handler.New(d.Readers).Strict(),
		admit:     middleware.Admit(d.Limiter), share: middleware.Share(),
		operations: chi.NewRouter(),
	}
	s.operations.Group(func(r chi.Router) {
		r.Use(contract.Name)
		s.addOperations(r)
	})
	return s, nil
}

const mcpPath = middleware.Prefix + "/mcp"

// Handler is the way of every request, outermost first. mcp serves the protocol's endpoint.
func (s *Server) Handler(mcp http.Handler) (http.Handler, error) {
	compress, err := middleware.Compress()
	if err != nil {
		return nil, err
	}
	r := chi.NewRouter()
	r.Use(
		middleware.Log(s.deps.Observers), // request id; log line, metric and trace; panics
		middleware.Headers(s.links),
		func(next http.Handler) http.Handler { return compress(next) },
	)
	s.documents.Routes(r)
	mcp = middleware.Named("mcp", mcp)
	r.Handle(mcpPath, mcp) // which uses Protect
	r.Group(func(r chi.Router) {
		r.Use(s.contract.Name, s.admit, s.share)
		s.addOperations(r)
	})
	r.NotFound(s.documents.NotFound)
	r.MethodNotAllowed(func(w http.ResponseWriter, req *http.Request) { refuseMethod(w, req, r, mcp) })
	return r, nil
}

// addOperations adds the contract's operations to a router whose requests are admitted.
func (s *Server) addOperations(r chi.Router) {
	r = r.With(
		s.contract.Check, // scope 403, then parameters 400
		s.responses.Validate,
	)
	api.HandlerWithOptions(s.handlers, api.ChiServerOptions{BaseRouter: r, ErrorHandlerFunc: middleware.WriteError})
}

// Protect authenticates and admits a request and gives it its client's share, as for an
// operation.
func (s *Server) Protect(next http.Handler) http.Handler { return s.admit(s.share(next)) }

// refuseMethod refuses a method that a path does not take. chi calls it for any path if it
// does not know the method.
func refuseMethod(w http.ResponseWriter, r *http.Request, router chi.Routes, mcp http.Handler) {
	if r.URL.EscapedPath() == mcpPath {
		mcp.ServeHTTP(w, r)
		return
	}
	middleware.RefuseMethod(w, r, router)
}

// BrokenResponses counts the responses that broke the contract.
func (s *Server) BrokenResponses() int64 { return s.responses.Broken.Load() }

// CheckedResponses counts the responses that were validated.
func (s *Server) CheckedResponses() int64 { return s.responses.Checked.Load() }
