package middleware

import (
	"net/http"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/ratelimit"
)

// At the second that the header names, the limit has freed a request.
func TestSetRateLimitHeaders_RoundsTheResetUp(t *testing.T) {
	t.Parallel()
	for reset, want := range map[time.Time]string{time.Unix(100, 0): "100", time.Unix(100, 1): "101", time.Unix(100, 999_999_999): "101"} {
		h := http.Header{}
		SetRateLimitHeaders(h, ratelimit.Admission{Max: 600, Remaining: 3, ResetAt: reset})
		if h.Get("X-RateLimit-Reset") != want || h.Get("X-RateLimit-Limit") != "600" || h.Get("X-RateLimit-Remaining") != "3" {
			t.Errorf("%s: the headers are %v, want the reset %s", reset, h, want)
		}
	}
}
