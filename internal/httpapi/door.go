package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/routers"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// door takes a request of the contract's key routes through route, key, quota,
// scope and parameters, in this order, and only then to the handler.
func (s *Server) door(next http.Handler) http.Handler { return s.enter(s.Admit, next) }

// insideDoor is the door for who has been admitted already.
func (s *Server) insideDoor(next http.Handler) http.Handler {
	return s.enter(func(_ string, next http.Handler) http.Handler { return next }, next)
}

func (s *Server) enter(admit func(route string, next http.Handler) http.Handler, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route, pathParams, err := s.contract.router.FindRoute(r)
		if err != nil {
			s.refuseRoute(w, r, err)
			return
		}
		op := s.contract.operations[route.Operation.OperationID]
		exchangeFrom(r.Context()).operation = op.id
		if op.public() {
			next.ServeHTTP(w, r)
			return
		}
		admit(op.id, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := s.checkRequest(r, op, route, pathParams); err != nil {
				writeError(w, r, err)
				return
			}
			s.responses.watch(w, r, route, pathParams, next)
		})).ServeHTTP(w, r)
	})
}

// refuseRoute answers an unknown path with 404 and a wrong method with 405.
func (s *Server) refuseRoute(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, routers.ErrMethodNotAllowed) {
		writeError(w, r, fault.Missing())
		return
	}
	w.Header().Set("Allow", http.MethodGet)
	writeError(w, r, fault.WrongMethod())
}

// Admit authenticates a request and counts it before next sees it. The caller
// is in the context from there on. It is the door of every key route, the
// agents' adapter included.
func (s *Server) Admit(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, err := bearerToken(r)
		if err != nil {
			writeError(w, r, err)
			return
		}
		parsed, ok := apikey.ParseToken(token)
		if !ok {
			writeError(w, r, fault.InvalidAPIKey())
			return
		}
		request := ratelimit.Request{Prefix: parsed.Prefix, SecretHash: parsed.SecretHash, Route: route}
		if s.contract.operations[route].quick() {
			if caller, likely := s.limiter.Presume(request); likely {
				s.admitMeanwhile(w, r, request, caller, next)
				return
			}
		}
		admission, err := s.limiter.Admit(r.Context(), request)
		if admitted(w, r, admission, err) {
			next.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), admission.Caller)))
		}
	})
}

// admitted notes what became of a request at the door, and answers who may not
// pass.
func admitted(w http.ResponseWriter, r *http.Request, a ratelimit.Admission, err error) bool {
	if err != nil {
		writeError(w, r, err)
		return false
	}
	err = refusal(a)
	if err == nil || a.Verdict == ratelimit.Limited {
		exchangeFrom(r.Context()).admission = a
		setRateLimitHeaders(w.Header(), a)
	}
	if err != nil {
		writeError(w, r, err)
	}
	return err == nil
}

// bearerToken takes the token out of the one Authorization header.
func bearerToken(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return "", fault.MissingAPIKey()
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", fault.MissingAPIKey()
	}
	if len(headers) > 1 {
		// Two proxies could each read another one.
		return "", fault.InvalidAPIKey()
	}
	return token, nil
}

func refusal(a ratelimit.Admission) error {
	switch a.Verdict {
	case ratelimit.Admitted:
		return nil
	case ratelimit.Limited:
		return fault.Limited(a.RetryAfter())
	case ratelimit.Revoked:
		return fault.InactiveAPIKey()
	case ratelimit.Expired:
		return fault.ExpiredAPIKey()
	default:
		return fault.InvalidAPIKey()
	}
}

func setRateLimitHeaders(h http.Header, a ratelimit.Admission) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(a.Max))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(a.Remaining))
	// Rounded up, so that at that second capacity has freed.
	h.Set("X-RateLimit-Reset", strconv.FormatInt(a.ResetAt.Add(time.Second-time.Nanosecond).Unix(), 10))
}
