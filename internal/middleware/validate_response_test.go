package middleware

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Under enforce a response that breaks the contract is a 500, and the log names the
// place, never the value. What is too large to be validated passes.
func TestValidateResponse_Enforce(t *testing.T) {
	t.Parallel()
	c, err := LoadContract()
	require.NoError(t, err)
	tooLarge := bytes.Repeat([]byte("x"), maxValidated+1)
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		status int
		body   string
		where  string
	}{
		"a field of another type": {say([]byte(`{"data":"customer words","meta":{}}`)), 500, internalError, `"where":"/data: type"`},
		"another content type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("customer words"))
		}, 500, internalError, `"where":"`},
		"an undeclared status": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }, 500, internalError, `"where":"`},
		"a large body":         {say(tooLarge), 200, string(tooLarge), ""},
		"an internal error":    {func(w http.ResponseWriter, r *http.Request) { WriteError(w, r, ErrPanicked) }, 500, internalError, ""},
	} {
		var log bytes.Buffer
		v := NewResponseValidator(config.Enforce, slog.New(slog.NewJSONHandler(&log, nil)))
		w := httptest.NewRecorder()
		SetRateLimitHeaders(w.Header(), ratelimit.Admission{})
		w.Header().Set("X-Request-Id", "1")
		v.Validate(test.answer).ServeHTTP(w, requestFor(c.Operation("listCampaigns")))
		if w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s: got %d and %d bytes, want %d and %d", name, w.Code, w.Body.Len(), test.status, len(test.body))
		}
		broken := int64(min(len(test.where), 1))
		if v.Broken.Load() != broken || !strings.Contains(log.String(), test.where) || strings.Contains(log.String(), "customer words") {
			t.Errorf("%s: %d broken, want %d; the log says %s", name, v.Broken.Load(), broken, log.String())
		}
	}
}

// An enforced response that cannot be sent whole is not taken for a sent one.
func TestValidateResponse_EnforcedResponsesFailToBeSent(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, maxValidated + 1} {
		v := NewResponseValidator(config.Enforce, slog.New(slog.DiscardHandler))
		record := &Record{operation: &Operation{}}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		v.Validate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError) // is not validated
			_, RecordFrom(r.Context()).Err = w.Write(make([]byte, size))
		})).ServeHTTP(&brokenWriter{ResponseWriter: httptest.NewRecorder()}, r.WithContext(WithRecord(r.Context(), record)))
		if record.Err == nil {
			t.Errorf("%d bytes count as sent", size)
		}
	}
}

const internalError = `{"error":"internal error","code":"internal_error"}` + "\n"

// requestFor is a request of an operation, as Name records it.
func requestFor(op *Operation) *http.Request {
	r := httptest.NewRequest(http.MethodGet, op.Path, nil)
	return r.WithContext(WithRecord(r.Context(), &Record{RequestID: "1", operation: op}))
}

// brokenWriter counts the heads that are sent, and fails to send a body.
type brokenWriter struct {
	http.ResponseWriter
	heads int
}

func (w *brokenWriter) WriteHeader(status int) {
	w.heads++
	w.ResponseWriter.WriteHeader(status)
}

func (*brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the caller left") }
