package httpapi

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/fairqueue"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/synthesis"
	"github.com/clientintel/clientintel/internal/tracing"
)

// Deps are what a Server needs.
type Deps struct {
	Limiter    *ratelimit.Limiter
	Interviews *interview.Reader
	Campaigns  *campaign.Reader
	Synthesis  *synthesis.Reader
	Analytics  *analytics.Reader
	Search     *search.Reader
	// Cursors encodes and decodes the cursors of list routes.
	Cursors *page.Codec
	// Validation is how responses are validated against the contract.
	Validation config.ResponseValidation
	// PublicURL is the address that the contract and the guides name.
	PublicURL string
	// LogOneIn logs one of so many requests that succeed; zero logs all.
	LogOneIn int
	// Docs serves the pages for people and agents.
	Docs bool
	// RecordRequest counts each finished request. caller is verified, unverified or unknown.
	RecordRequest func(operation string, status int, caller string, took time.Duration)
	// Trace exports each finished request and returns the id of its trace. Nil exports nothing.
	Trace func(tracing.Request) string
	Log   *slog.Logger
}

// Server serves the API.
type Server struct {
	deps      Deps
	succeeded atomic.Int64
	// uncounted bounds the log lines of requests that count against no key's limit: of
	// failures, of those with a key, and of all others, so that no kind hides another.
	uncounted  struct{ failed, keyed, other lineBudget }
	contract   *contract
	validation *openapi3filter.Options
	responses  *responseValidator
	documents  []document
	links      links
	// unsent bounds the bytes of responses not yet sent, inFlight the admitted requests.
	unsent, inFlight *fairqueue.Budget
	// rowSizes has the bytes that a row of each key's last page took.
	rowSizes *lru.Cache[uuid.UUID, int64]
	// compressing has the slots in which large responses are compressed.
	compressing *fairqueue.Slots
	// endpoints validate and answer admitted requests, by operationId.
	endpoints map[string]http.Handler
}

var _ api.StrictServerInterface = (*Server)(nil)

// New reads the contract and prepares an endpoint for each of its operations.
func New(d Deps) (*Server, error) {
	c, err := loadContract()
	if err != nil {
		return nil, err
	}
	documents, err := publicDocuments(d.PublicURL, d.Docs)
	if err != nil {
		return nil, err
	}
	rowSizes, err := lru.New[uuid.UUID, int64](maxRowSizes)
	if err != nil {
		return nil, err
	}
	validation := validatorOptions()
	s := &Server{
		deps: d, contract: c, validation: validation, responses: newResponseValidator(d.Validation, validation, d.Log),
		unsent: fairqueue.NewBudget(maxUnsent, maxUnsentOfClient), inFlight: fairqueue.NewBudget(maxInFlight, maxInFlightOfClient),
		rowSizes: rowSizes, compressing: newProcessorSlots(),
		documents: documents, links: newLinks(d.PublicURL, d.Docs), endpoints: map[string]http.Handler{},
	}
	handlers := api.NewStrictHandlerWithOptions(s, []api.StrictMiddlewareFunc{timeReading}, api.StrictHTTPServerOptions{
		RequestErrorHandlerFunc:  writeError,
		ResponseErrorHandlerFunc: writeError,
	})
	err = c.eachRoute(handlers, func(op *operation, handler http.Handler) {
		s.endpoints[op.id] = s.validateRequests(op, s.responses.validate(op, handler))
	})
	return s, err
}

// BrokenResponses counts the responses that broke the contract.
func (s *Server) BrokenResponses() int64 { return s.responses.Broken.Load() }

// CheckedResponses counts the responses that were validated.
func (s *Server) CheckedResponses() int64 { return s.responses.Checked.Load() }
