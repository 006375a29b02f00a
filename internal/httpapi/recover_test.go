package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// logTo makes a server that reads nothing and logs to a buffer.
func logTo(t *testing.T, log io.Writer) *Server {
	t.Helper()
	s, err := New(Deps{
		Validation: config.Off, Log: slog.New(slog.NewJSONHandler(log, nil)), RecordRequest: func(string, int, string, time.Duration) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
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
		logTo(t, &log).accessLog(c.handler).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != http.StatusInternalServerError || w.Body.String() != internalError {
			t.Errorf("%s: got %d %s, want a clean 500", name, w.Code, w.Body)
		}
		if !strings.Contains(log.String(), c.logged) || strings.Contains(log.String(), "customer words") {
			t.Errorf("%s: the log says %s", name, log.String())
		}
	}
}

// Rows are read by another function than the one that panics with what their reader
// panicked with: the log names the reader.
func TestRecover_PanicsOfReadersAreLocated(t *testing.T) {
	t.Parallel()
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{
		URL: dbtest.New(t).ServerURL, Size: 1, AcquireTimeout: time.Minute, StatementTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for cause, what := range map[any]string{"customer words": `"what":"string"`, nil: "nil pointer dereference"} {
		var log bytes.Buffer
		w := httptest.NewRecorder()
		logTo(t, &log).accessLog(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_ = pool.ReadOnce(r.Context(), uuid.New(), postgres.Query{SQL: "SELECT 1"},
				func(context.Context, *postgres.Snapshot, pgx.Rows) error { return panicReading(cause) })
		})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != http.StatusInternalServerError || w.Body.String() != internalError {
			t.Errorf("got %d %s, want a clean 500", w.Code, w.Body)
		}
		if got := log.String(); !strings.Contains(got, what) || !strings.Contains(got, "panicReading") || strings.Contains(got, "customer words") {
			t.Errorf("the log says %s, want %s and where", got, what)
		}
	}
}

// panicReading panics with a cause, or with a nil pointer's.
func panicReading(cause any) error {
	if cause == nil {
		var none *http.Request
		cause = none.URL
	}
	panic(cause)
}

// A panic after the first byte closes the connection.
func TestRecover_PartialResponsesCloseTheConnection(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	handler := logTo(t, &log).accessLog(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[`)
		panic("customer words")
	}))
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

// A caller that leaves in the middle of its response is sent no second status.
func TestRecover_OneStatusIsSent(t *testing.T) {
	t.Parallel()
	w := &brokenWriter{ResponseWriter: httptest.NewRecorder()}
	var log bytes.Buffer
	logTo(t, &log).accessLog(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := (rawResponse{NewBuffer(), []byte("{}"), nil}).write(w); err != nil {
			writeError(w, r, err)
		}
	})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.heads != 1 || !strings.Contains(log.String(), `"status":200`) {
		t.Errorf("%d heads were sent, want 1; logged %s", w.heads, log.String())
	}
}
