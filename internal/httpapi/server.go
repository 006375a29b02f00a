package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/go-chi/chi/v5"
	"github.com/klauspost/compress/gzhttp"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/synthesis"
	"github.com/clientintel/clientintel/internal/tracing"
)

// Prefix is what every route of the API begins with.
const Prefix = "/api/client/v1"

// agentsPath is where agents find the same readers as tools.
const agentsPath = Prefix + "/mcp"

// Deps are what the REST edge works with.
type Deps struct {
	Limiter    *ratelimit.Limiter
	Interviews *interview.Reader
	Campaigns  *campaign.Reader
	Synthesis  *synthesis.Reader
	Analytics  *analytics.Reader
	Search     *search.Reader
	// Cursors seals the positions that walks go on from.
	Cursors *page.Sealer
	// Validation is how responses are held against the contract.
	Validation config.ResponseValidation
	// PublicURL is the address that the contract and the guides name.
	PublicURL string
	// Observe counts each answered request.
	Observe func(operation string, status int, took time.Duration)
	// Trace tells a collector of each answered request. Nil: there is none.
	Trace func(tracing.Request)
	Log   *slog.Logger
}

// Server is the REST edge.
type Server struct {
	limiter    *ratelimit.Limiter
	interviews *interview.Reader
	analytics  *analytics.Reader
	campaigns  *campaign.Reader
	synthesis  *synthesis.Reader
	search     *search.Reader
	cursors    *page.Sealer
	log        *slog.Logger
	count      func(operation string, status int, took time.Duration)
	trace      func(tracing.Request)
	contract   *contract
	validation *openapi3filter.Options
	responses  *responseChecker
	documents  []document
	// inside answers operations that are asked in-process.
	inside http.Handler
}

var _ api.StrictServerInterface = (*Server)(nil)

// New reads the contract and builds the edge on it.
func New(d Deps) (*Server, error) {
	c, err := loadContract()
	if err != nil {
		return nil, err
	}
	documents, err := publicDocuments(d.PublicURL)
	if err != nil {
		return nil, err
	}
	validation := validatorOptions()
	s := &Server{
		analytics: d.Analytics,
		limiter:   d.Limiter, interviews: d.Interviews, campaigns: d.Campaigns, synthesis: d.Synthesis, search: d.Search,
		cursors: d.Cursors, log: d.Log, count: d.Observe, trace: d.Trace,
		contract: c, validation: validation,
		responses: newResponseChecker(d.Validation, validation, d.Log),
		documents: documents,
	}
	inside := chi.NewRouter()
	s.operations(inside, s.insideDoor)
	s.inside = inside
	return s, nil
}

// operations puts the contract's operations behind a door.
func (s *Server) operations(r chi.Router, door func(http.Handler) http.Handler) {
	r.Use(door)
	strict := api.NewStrictHandlerWithOptions(s, nil, api.StrictHTTPServerOptions{
		RequestErrorHandlerFunc:  writeError,
		ResponseErrorHandlerFunc: writeError,
	})
	api.HandlerWithOptions(strict, api.ChiServerOptions{BaseRouter: r, ErrorHandlerFunc: writeError})
}

// Handler answers every request: the contract's routes, the agents' adapter, and
// everything else with a refusal in the envelope.
func (s *Server) Handler(agents http.Handler) (http.Handler, error) {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1400), gzhttp.CompressionLevel(1))
	if err != nil {
		return nil, err
	}
	r := chi.NewRouter()
	r.NotFound(func(w http.ResponseWriter, r *http.Request) { writeError(w, r, fault.Missing()) })
	agents = named("mcp", agents)
	r.Handle(agentsPath, agents)
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == agentsPath { // a method that the router has never heard of
			agents.ServeHTTP(w, r)
			return
		}
		s.refuseMethod(w, r)
	})
	for _, d := range s.documents {
		r.Method(http.MethodGet, d.path, d)
		r.Method(http.MethodHead, d.path, d)
	}
	r.Group(func(r chi.Router) { s.operations(r, s.door) })
	return s.observe(noStore(func(next http.Handler) http.Handler { return compress(next) }(r))), nil
}

// refuseMethod answers 405 and names what the path allows.
func (s *Server) refuseMethod(w http.ResponseWriter, r *http.Request) {
	allow := http.MethodGet
	for _, d := range s.documents {
		if r.URL.Path == d.path {
			allow = "GET, HEAD"
		}
	}
	w.Header().Set("Allow", allow)
	writeError(w, r, fault.WrongMethod())
}

// noStore keeps the answers to keys out of every cache. Public documents say
// otherwise themselves.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// BrokenResponses counts the responses found to break the contract.
func (s *Server) BrokenResponses() int64 { return s.responses.Broken.Load() }

// CheckedResponses counts the responses held against the contract.
func (s *Server) CheckedResponses() int64 { return s.responses.Checked.Load() }

// answered notes for the log how many rows an answer holds.
func answered(ctx context.Context, rows int) { exchangeFrom(ctx).rows = rows }
