package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

const (
	// maxUnsent bounds the bytes of all answers that wait for their callers to read
	// them, maxUnsentOfClient those of one client.
	maxUnsent         = 64 << 20
	maxUnsentOfClient = 24 << 20
	// countedAnswer is the size from which an answer counts.
	countedAnswer = 64 << 10
	// spaceTimeout is how long a page waits for the space that it is expected to need.
	spaceTimeout = 2 * time.Second
	// spaceForAnswer is what a client must have left to be read for.
	spaceForAnswer = 4 << 20
	// maxInFlight bounds the admitted requests at once, maxInFlightOfClient those of
	// one client.
	maxInFlight         = 4096
	maxInFlightOfClient = 1024
	// maxRowSizes bounds the keys whose row sizes are remembered.
	maxRowSizes = 4096
)

var (
	errTooMuchUnsent = errors.New("the client's answers are not read as fast as they are asked for")
	errTooManyAtOnce = errors.New("too many requests of the client at once")
)

// Unsent is the budget of the bytes of answers, for the MCP adapter's.
func (s *Server) Unsent() *fairqueue.Budget { return s.unsent }

// limitClient refuses a client early that has too many requests under way, or too
// many bytes of answers that it does not read. What an answer reserves is given back
// when it has ended.
func (s *Server) limitClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := auth.CallerFrom(r.Context()).ClientID
		if !s.inFlight.Reserve(client, 1) {
			writeError(w, r, apierror.Unavailable(errTooManyAtOnce))
			return
		}
		defer s.inFlight.Release(client, 1)
		if s.unsent.Full(client, spaceForAnswer) {
			writeError(w, r, apierror.Unavailable(errTooMuchUnsent))
			return
		}
		answer := s.unsent.NewReservation(client)
		defer answer.Release()
		record := recordFrom(r.Context())
		record.answer, record.encodingOfCall = answer, &turn{of: s.encoding, client: client}
		defer record.encodingOfCall.end()
		next.ServeHTTP(w, r)
	})
}

// awaitSpace reserves what a page of so many rows is expected to take, before any
// is read.
func (s *Server) awaitSpace(ctx context.Context, caller auth.Caller, rows int) error {
	rowSize, _ := s.rowSizes.Get(caller.KeyID)
	answer, size := recordFrom(ctx).answer, rowSize*int64(rows)
	if answer.Grow(size) { // most do, without a timer
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, spaceTimeout)
	defer cancel()
	if err := answer.Await(ctx, size); err != nil {
		return apierror.Unavailable(errTooMuchUnsent)
	}
	return nil
}
