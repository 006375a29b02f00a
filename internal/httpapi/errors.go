package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/clientintel/clientintel/internal/fault"
)

// envelope is the body of every refusal.
type envelope struct {
	Error   string `json:"error"`
	Details string `json:"details,omitempty"`
	Code    string `json:"code"`
}

// Refuse writes a fault as the answer to a request.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, err error) { writeError(w, r, err) }

// writeError is the one place where a kind of fault becomes a status.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	exchangeFrom(r.Context()).err = err
	f := publicFault(r.Context(), err)

	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	// What was said for an answer that is not coming.
	h.Del("ETag")
	h.Del("Content-Length")
	if f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
	}
	switch f.Kind {
	case fault.Unauthenticated:
		h.Set("WWW-Authenticate", challenge(f))
	case fault.Forbidden:
		if f.Scope != "" {
			h.Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, f.Scope))
		}
	}
	body, _ := json.Marshal(envelope{f.Message, f.Details, f.Code})
	w.WriteHeader(statusOf(f.Kind))
	_, _ = w.Write(append(body, '\n'))
}

// challenge names no metadata URL: clients would start OAuth on it.
func challenge(f *fault.Error) string {
	if f.Code == "missing_api_key" {
		return `Bearer realm="clientintel"`
	}
	return fmt.Sprintf(`Bearer realm="clientintel", error="invalid_token", error_description=%q`, f.Message)
}

// publicFault is what may be told of an error. An error that is no fault is an
// accident: nothing of it is told.
func publicFault(ctx context.Context, err error) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return fault.OutOfReach(err)
	}
	return fault.Unexpected(err)
}

func statusOf(k fault.Kind) int {
	switch k {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case fault.NotAcceptable:
		return http.StatusNotAcceptable
	case fault.PayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case fault.RateLimited:
		return http.StatusTooManyRequests
	case fault.MeasurementUnavailable, fault.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}
