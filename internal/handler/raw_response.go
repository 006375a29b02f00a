package handler

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/clientintel/clientintel/internal/apierror"
)

const (
	// maxUnsent bounds the bytes of large responses that wait for their callers to read
	// them, and largeResponse is the size from which a response counts.
	maxUnsent     = 64 << 20
	largeResponse = 64 << 10
	// maxWeight is what a response counts at most: a client's 16 requests at once hold half
	// of maxUnsent if it reads none of their responses.
	maxWeight = maxUnsent / 32
	// unsentTimeout is how long a large response waits for others to be read.
	unsentTimeout = 2 * time.Second
)

var errTooMuchUnsent = errors.New("too many large responses are not read")

// rawResponse is a response whose body is already encoded. It implements the
// generated response interfaces.
type rawResponse struct {
	ctx    context.Context //nolint:containedctx // the interface's methods take none
	body   []byte
	unsent *semaphore.Weighted
}

func (a rawResponse) write(w http.ResponseWriter) error {
	if len(a.body) >= largeResponse {
		release, err := awaitUnsent(a.ctx, a.unsent, len(a.body))
		if err != nil {
			return err
		}
		defer release()
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(a.body)
	return err
}

// awaitUnsent waits until a large response may be sent.
func awaitUnsent(ctx context.Context, unsent *semaphore.Weighted, size int) (release func(), err error) {
	weight := min(int64(size), maxWeight)
	ctx, cancel := context.WithTimeout(ctx, unsentTimeout)
	defer cancel()
	if unsent.Acquire(ctx, weight) != nil {
		return nil, apierror.Unavailable(errTooMuchUnsent)
	}
	return func() { unsent.Release(weight) }, nil
}

// VisitListInterviewsResponse writes a page.
func (a rawResponse) VisitListInterviewsResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitListCampaignsResponse writes a page.
func (a rawResponse) VisitListCampaignsResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitListSynthesisResponse writes a page.
func (a rawResponse) VisitListSynthesisResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitGetInterviewResponse writes one interview.
func (a rawResponse) VisitGetInterviewResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitSearchIntelligenceResponse writes the hits of a search.
func (a rawResponse) VisitSearchIntelligenceResponse(w http.ResponseWriter) error { return a.write(w) }
