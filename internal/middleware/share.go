package middleware

import (
	"fmt"
	"net/http"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

const (
	// shareOfClient is how many requests of one client are in flight at once, and
	// maxInFlight those of all.
	shareOfClient = 16
	maxInFlight   = 4096
	// maxWaitingOfClient is how many more requests of a client wait, for shareTimeout.
	maxWaitingOfClient = 512
	shareTimeout       = 4 * time.Second
)

// Share lets each client have its share of the requests in flight; more wait.
func Share() func(http.Handler) http.Handler {
	inFlight := fairqueue.NewSlots(maxInFlight, shareOfClient, maxWaitingOfClient)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			client := auth.CallerFrom(r.Context()).ClientID
			if err := inFlight.Acquire(r.Context(), client, shareTimeout); err != nil {
				WriteError(w, r, apierror.Unavailable(fmt.Errorf("waiting for the client's other requests: %w", err)))
				return
			}
			defer inFlight.Release(client)
			next.ServeHTTP(w, r)
		})
	}
}
