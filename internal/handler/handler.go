package handler

import (
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
	return api.NewStrictHandlerWithOptions(h, nil, api.StrictHTTPServerOptions{
		RequestErrorHandlerFunc:  middleware.WriteError,
		ResponseErrorHandlerFunc: middleware.WriteError,
	})
}
