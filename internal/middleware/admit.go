package middleware

import (
	"net/http"
	"strconv"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Admit authenticates each request and counts it against its key's limit. Only an
// admitted request passes on, with its caller in the context; from here on every response
// carries the rate limit's headers.
func Admit(limiter *ratelimit.Limiter) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			token := BearerToken(r)
			if token == "" {
				WriteError(w, r, apierror.MissingAPIKey)
				return
			}
			key, ok := apikey.ParseToken(token)
			if !ok || len(r.Header.Values("Authorization")) > 1 { // a proxy in front could have checked the other one
				WriteError(w, r, apierror.InvalidAPIKey)
				return
			}
			record := RecordFrom(r.Context())
			a, err := limiter.Admit(r.Context(), ratelimit.Request{Prefix: key.Prefix, SecretHash: key.SecretHash, Route: record.Operation})
			if err != nil {
				WriteError(w, r, err)
				return
			}
			record.admission, record.keyID, record.clientID = a, a.KeyID, a.Caller.ClientID
			if a.Verdict == ratelimit.Admitted || a.Verdict == ratelimit.Limited {
				SetRateLimitHeaders(w.Header(), a)
			}
			if a.Verdict != ratelimit.Admitted {
				WriteError(w, r, refusal(a))
				return
			}
			next.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), a.Caller)))
		})
	}
}

// refusal is the error of a request that was not admitted.
func refusal(a ratelimit.Admission) error {
	switch a.Verdict {
	case ratelimit.Limited:
		return apierror.RateLimited(a.RetryAfter())
	case ratelimit.Revoked:
		return apierror.InactiveAPIKey
	case ratelimit.Expired:
		return apierror.ExpiredAPIKey
	default:
		return apierror.InvalidAPIKey
	}
}

// SetRateLimitHeaders sets the three headers that every admitted request's response has.
func SetRateLimitHeaders(h http.Header, a ratelimit.Admission) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(a.Max))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(a.Remaining))
	// Rounded up: at that second the count is below the limit again.
	h.Set("X-RateLimit-Reset", strconv.FormatInt(a.ResetAt.Add(time.Second-time.Nanosecond).Unix(), 10))
}
