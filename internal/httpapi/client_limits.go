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
	// maxUnsent bounds the bytes of all responses that wait for their callers to read
	// them, maxUnsentOfClient those of one client.
	maxUnsent         = 64 << 20
	maxUnsentOfClient = 24 << 20
	// countedResponse is the size from which a response reserves bytes.
	countedResponse = 64 << 10
	// spaceTimeout is how long a page waits for the space that it is expected to need.
	spaceTimeout = 2 * time.Second
	// minUnsentSpace is what a client must have left of its share to start a request.
	minUnsentSpace = 4 << 20
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

// Unsent is the budget of unsent bytes, which the MCP adapter shares.
func (s *Server) Unsent() *fairqueue.Budget { return s.unsent }

// limitClient refuses a client early that has too many requests under way, or too
// many bytes of responses that it does not read. What a response reserves is released
// when it has ended.
func (s *Server) limitClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := auth.CallerFrom(r.Context()).ClientID
		if !s.inFlight.Reserve(client, 1) {
			writeError(w, r, apierror.Unavailable(errTooManyAtOnce))
			return
		}
		defer s.inFlight.Release(client, 1)
		if s.unsent.Full(client, minUnsentSpace) {
			writeError(w, r, apierror.Unavailable(errTooMuchUnsent))
			return
		}
		reservation := s.unsent.NewReservation(client)
		defer reservation.Release()
		recordFrom(r.Context()).reservation = reservation
		next.ServeHTTP(w, r)
	})
}

// awaitSpace reserves what a page of so many rows is expected to take, before any
// is read.
func (s *Server) awaitSpace(ctx context.Context, caller auth.Caller, rows int) error {
	rowSize, _ := s.rowSizes.Get(caller.KeyID)
	reservation, size := recordFrom(ctx).reservation, rowSize*int64(rows)
	if reservation.Grow(size) { // most do, without a timer
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, spaceTimeout)
	defer cancel()
	if err := reservation.Await(ctx, size); err != nil {
		return apierror.Unavailable(errTooMuchUnsent)
	}
	return nil
}
