package middleware

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// logged logs the requests of a handler.
func logged(log io.Writer, handler http.HandlerFunc) http.Handler {
	return Log(Observers{
		Log: slog.New(slog.NewJSONHandler(log, nil)), RecordRequest: func(string, int, string, time.Duration) {}, RecordUse: func(uuid.UUID, string, int) {},
	})(handler)
}

// A panic is answered like any internal error. Only a runtime error's text is
// logged: another value may hold a client's data.
func TestRecover_PanicsAreAnswered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		logged  string
	}{
		"a value":       {func(http.ResponseWriter, *http.Request) { panic("customer words") }, `"what":"string"`},
		"a nil pointer": {func(_ http.ResponseWriter, r *http.Request) { _ = r.MultipartForm.Value }, "nil pointer dereference"},
	} {
		var log bytes.Buffer
		w := httptest.NewRecorder()
		logged(&log, c.handler).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != http.StatusInternalServerError || w.Body.String() != internalError {
			t.Errorf("%s: got %d %s, want a clean 500", name, w.Code, w.Body)
		}
		if !strings.Contains(log.String(), c.logged) || strings.Contains(log.String(), "customer words") {
			t.Errorf("%s: the log says %s", name, log.String())
		}
	}
}

// A panic after the first byte closes the connection.
func TestRecover_PartialResponsesCloseTheConnection(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	handler := logged(&log, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[`)
		panic("customer words")
	})
	w := httptest.NewRecorder()
	defer func() {
		if caught := recover(); caught != http.ErrAbortHandler { //nolint:errorlint // the very value
			t.Errorf("the handler ended with %v", caught)
		}
		if got := log.String(); w.Body.String() != `{"data":[` || !strings.Contains(got, `"aborted":true`) {
			t.Errorf("sent %s, logged %s", w.Body, got)
		}
	}()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
}

// A caller that leaves in the middle of its response is sent no second status.
func TestRecover_OneStatusIsSent(t *testing.T) {
	t.Parallel()
	w := &brokenWriter{ResponseWriter: httptest.NewRecorder()}
	var log bytes.Buffer
	logged(&log, func(w http.ResponseWriter, r *http.Request) {
		if _, err := w.Write([]byte("{}")); err != nil {
			WriteError(w, r, err)
		}
	}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.heads != 1 || !strings.Contains(log.String(), `"status":200`) {
		t.Errorf("%d heads were sent, want 1; logged %s", w.heads, log.String())
	}
}
