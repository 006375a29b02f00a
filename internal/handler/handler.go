package handler

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// Readers are what the handlers read through.
type Readers struct {
	Interviews *interview.Reader
	Campaigns  *campaign.Reader
	Synthesis  *synthesis.Reader
	Analytics  *analytics.Reader
	Search     *search.Reader
	// Cursors encodes and decodes the cursors of list routes.
	Cursors *page.Codec
}

// Handlers answer the operations.
type Handlers struct {
	Readers
	// unsent bounds the bytes of large responses that their callers have not read yet.
	unsent *semaphore.Weighted
}

var _ api.StrictServerInterface = (*Handlers)(nil)

// New makes the handlers.
func New(readers Readers) *Handlers {
	return &Handlers{readers, semaphore.NewWeighted(maxUnsent)}
}

// Strict is the generated interface's form of the handlers.
func (h *Handlers) Strict() api.ServerInterface {
	return api.NewStrictHandlerWithOptions(h, []api.StrictMiddlewareFunc{timeReading}, api.StrictHTTPServerOptions{
		RequestErrorHandlerFunc:  middleware.WriteError,
		ResponseErrorHandlerFunc: middleware.WriteError,
	})
}

// timeReading notes when an operation's rows are read.
func timeReading(f api.StrictHandlerFunc, _ string) api.StrictHandlerFunc {
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (any, error) {
		began := time.Now()
		response, err := f(ctx, w, r, request)
		middleware.RecordFrom(ctx).Reading = middleware.Span{Began: began, Ended: time.Now()}
		return response, err
	}
}
