package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/auth"
)

// A client may have so many requests under way; another has its own.
func TestLimitClient_BoundsRequestsAtOnce(t *testing.T) {
	t.Parallel()
	s := logTo(t, io.Discard)
	hog, other := uuid.New(), uuid.New()
	statusOf := func(client uuid.UUID, handler http.HandlerFunc) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		s.limitClient(handler).ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), auth.Caller{ClientID: client})))
		return w.Code
	}
	answered := func(http.ResponseWriter, *http.Request) {}
	var nest func(depth int) http.HandlerFunc
	nest = func(depth int) http.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) {
			if depth < maxInFlightOfClient {
				if got := statusOf(hog, nest(depth+1)); got != 200 {
					t.Errorf("number %d: %d, want 200", depth+1, got)
				}
				return
			}
			if got := statusOf(hog, answered); got != 503 {
				t.Errorf("one more at once: %d, want 503", got)
			}
			if got := statusOf(other, answered); got != 200 {
				t.Errorf("another client: %d, want 200", got)
			}
		}
	}
	statusOf(hog, nest(1))
	if got := statusOf(hog, answered); got != 200 {
		t.Errorf("when all have ended: %d, want 200", got)
	}
}
