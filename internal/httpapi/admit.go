package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Admit authenticates a request and counts it against its key's limit. Only an admitted
// request gets next's response; next finds the caller in its context. If speculative,
// next already runs for a known caller while the request is being admitted, and again if
// another caller is admitted; next must call AwaitAdmission before work that only an
// admitted request may cause. The MCP adapter uses it too, under an operation name of its
// own.
func (s *Server) Admit(operation string, speculative bool, next http.Handler) http.Handler {
	next = s.limitClient(next)
	speculative = speculative && !config.Disabled("speculative_reads")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, err := parseKey(r)
		if err != nil {
			s.RefuseUncounted(w, r, err)
			return
		}
		request := ratelimit.Request{Prefix: key.Prefix, SecretHash: key.SecretHash, Route: operation}
		began := time.Now()
		if speculative {
			if pending, caller, started := s.deps.Limiter.Start(request); started {
				s.readSpeculatively(w, r, pending, began, caller, next)
				return
			}
		}
		admission, err := s.deps.Limiter.Admit(r.Context(), request)
		recordFrom(r.Context()).admitting = span{began, time.Now()}
		if admitted(w, r, admission, err) {
			next.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), admission.Caller)))
		}
	})
}

// IsLikelyAdmitted reports whether the request's key was admitted last time and has quota
// left.
func (s *Server) IsLikelyAdmitted(r *http.Request) bool {
	key, err := parseKey(r)
	return err == nil && s.deps.Limiter.IsLikely(ratelimit.Request{Prefix: key.Prefix, SecretHash: key.SecretHash})
}

// RefuseUncounted answers a request that counts against no key's limit with err. It takes
// one of the keyless slots first, of which there are 400 a second; without one it answers
// 503.
func (s *Server) RefuseUncounted(w http.ResponseWriter, r *http.Request, err error) {
	if tooMany := s.deps.Limiter.AwaitUncounted(r.Context()); tooMany != nil {
		err = tooMany
	}
	writeError(w, r, err)
}

// admitted records an admission, sets the rate limit's headers and writes the
// error of a request that was not admitted.
func admitted(w http.ResponseWriter, r *http.Request, a ratelimit.Admission, err error) bool {
	if err != nil {
		writeError(w, r, err)
		return false
	}
	record := recordFrom(r.Context())
	record.keyID, record.clientID = a.KeyID, a.Caller.ClientID
	err = admissionError(a)
	if err == nil || a.Verdict == ratelimit.Limited {
		record.admission = a
		setConnectionKey(r.Context(), a.KeyID)
		setRateLimitHeaders(w.Header(), a)
	}
	if err != nil {
		writeError(w, r, err)
	}
	return err == nil
}

// admissionError is the error that answers a verdict, nil for Admitted.
func admissionError(a ratelimit.Admission) error {
	switch a.Verdict {
	case ratelimit.Admitted:
		return nil
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

func setRateLimitHeaders(h http.Header, a ratelimit.Admission) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(a.Max))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(a.Remaining))
	// Rounded up: at that second the count is below the limit again.
	h.Set("X-RateLimit-Reset", strconv.FormatInt(a.ResetAt.Add(time.Second-time.Nanosecond).Unix(), 10))
}
