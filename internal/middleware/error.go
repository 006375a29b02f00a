package middleware

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/apierror"
)

// envelope is the body of every error.
type envelope struct {
	Error   string `json:"error"`
	Details string `json:"details,omitempty"`
	Code    string `json:"code"`
}

// WriteError answers a request with an error. It is the one place where a kind of error becomes a status.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	record := RecordFrom(r.Context())
	record.Err = err
	public := apierror.Public(err)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	// These headers describe the response that the error replaces.
	h.Del("ETag")
	h.Del("Content-Length")
	if public.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(public.RetryAfter/time.Second)))
	}
	switch public.Kind {
	case apierror.KindNotFound:
		h.Add("Link", record.help)
	case apierror.KindUnauthenticated:
		h.Add("Link", record.help)
		h.Set("WWW-Authenticate", challenge(public))
	case apierror.KindForbidden:
		if public.Scope != "" {
			h.Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, public.Scope))
		} else {
			h.Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="clientintel", code=%q`, public.Code))
		}
	}
	body, _ := json.Marshal(envelope{public.Message, public.Details, public.Code})
	if record.EncodeError != nil {
		body = record.EncodeError(statuses[public.Kind], public, body)
	}
	w.WriteHeader(statuses[public.Kind])
	_, _ = w.Write(append(body, '\n'))
}

// challenge names no metadata URL: clients would start OAuth with it. Some show
// their user this header and not the body, so it has the code too.
func challenge(e *apierror.Error) string {
	if strings.HasPrefix(e.Code, "missing_") {
		return fmt.Sprintf(`Bearer realm="clientintel", code=%q`, e.Code)
	}
	return fmt.Sprintf(`Bearer realm="clientintel", error="invalid_token", error_description=%q, code=%q`, e.Message, e.Code)
}

// statuses are the HTTP statuses of the kinds of error.
var statuses = [...]int{
	apierror.KindInternal:               http.StatusInternalServerError,
	apierror.KindInvalid:                http.StatusBadRequest,
	apierror.KindUnauthenticated:        http.StatusUnauthorized,
	apierror.KindForbidden:              http.StatusForbidden,
	apierror.KindNotFound:               http.StatusNotFound,
	apierror.KindConflict:               http.StatusConflict,
	apierror.KindMethodNotAllowed:       http.StatusMethodNotAllowed,
	apierror.KindNotAcceptable:          http.StatusNotAcceptable,
	apierror.KindPayloadTooLarge:        http.StatusRequestEntityTooLarge,
	apierror.KindUnsupportedMediaType:   http.StatusUnsupportedMediaType,
	apierror.KindRateLimited:            http.StatusTooManyRequests,
	apierror.KindMeasurementUnavailable: http.StatusServiceUnavailable,
	apierror.KindUnavailable:            http.StatusServiceUnavailable,
}

// RefuseMethod refuses a method that a path does not take, and names those that it takes;
// where there are none, the path is not found.
func RefuseMethod(w http.ResponseWriter, r *http.Request, router chi.Routes) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if router.Match(chi.NewRouteContext(), method, r.URL.EscapedPath()) {
			allowed = append(allowed, method)
		}
	}
	if allowed == nil {
		WriteError(w, r, apierror.NotFound)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	WriteError(w, r, apierror.MethodNotAllowed)
}
