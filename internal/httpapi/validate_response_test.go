package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/fairqueue"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Under enforce a response that breaks the contract is a 500, and the log names the
// place, never the value. What is too large to be validated passes.
func TestValidateResponse_Enforce(t *testing.T) {
	t.Parallel()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
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
		"an internal error":    {func(w http.ResponseWriter, r *http.Request) { writeError(w, r, errPanicked) }, 500, internalError, ""},
	} {
		var log bytes.Buffer
		v := newResponseValidator(config.Enforce, validatorOptions(), slog.New(slog.NewJSONHandler(&log, nil)))
		w := httptest.NewRecorder()
		setRateLimitHeaders(w.Header(), ratelimit.Admission{})
		w.Header().Set("X-Request-Id", "1")
		v.validate(c.operations["listCampaigns"], test.answer).ServeHTTP(w, httptest.NewRequest(http.MethodGet, Prefix+"/campaigns", nil))
		if w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s: got %d and %d bytes, want %d and %d", name, w.Code, w.Body.Len(), test.status, len(test.body))
		}
		broken := int64(min(len(test.where), 1))
		if v.Broken.Load() != broken || !strings.Contains(log.String(), test.where) || strings.Contains(log.String(), "customer words") {
			t.Errorf("%s: %d broken, want %d; the log says %s", name, v.Broken.Load(), broken, log.String())
		}
	}
}

// What is sent whole counts among the unsent bytes, whatever made it.
func TestValidateResponse_EnforcedResponsesReserveBytes(t *testing.T) {
	t.Parallel()
	unsent := fairqueue.NewBudget(1<<20, 1<<20)
	unsent.Reserve(uuid.New(), 1<<20)
	for size, want := range map[int]int{countedResponse: http.StatusInternalServerError, 2*countedResponse + 1: http.StatusServiceUnavailable} {
		v := newResponseValidator(config.Enforce, validatorOptions(), slog.New(slog.DiscardHandler))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r = r.WithContext(withRecord(r.Context(), &requestRecord{reservation: unsent.NewReservation(uuid.New())}))
		w := httptest.NewRecorder()
		v.validate(&operation{}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError) // is not validated
			_, _ = w.Write(make([]byte, size))
		})).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%d bytes: %d, want %d", size, w.Code, want)
		}
	}
}

// An enforced response that cannot be sent whole is not taken for a sent one.
func TestValidateResponse_EnforcedResponsesFailToBeSent(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, maxValidated + 1} {
		v := newResponseValidator(config.Enforce, validatorOptions(), slog.New(slog.DiscardHandler))
		record := &requestRecord{}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		v.validate(&operation{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError) // is not validated
			_, recordFrom(r.Context()).err = w.Write(make([]byte, size))
		})).ServeHTTP(&brokenWriter{ResponseWriter: httptest.NewRecorder()}, r.WithContext(withRecord(r.Context(), record)))
		if record.err == nil {
			t.Errorf("%d bytes count as sent", size)
		}
	}
}
