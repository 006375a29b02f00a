package server

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/middleware"
)

// callOf makes a server whose operation is answered by one handler.
func callOf(t *testing.T, log io.Writer, handler http.HandlerFunc) func(Call) CallResponse {
	t.Helper()
	s := &Server{deps: Deps{Observers: middleware.Observers{Log: slog.New(slog.NewJSONHandler(log, nil))}}, operations: chi.NewRouter()}
	var err error
	if s.contract, err = middleware.LoadContract(); err != nil {
		t.Fatal(err)
	}
	s.operations.Get(s.contract.Operation("listCampaigns").Path, handler)
	return func(call Call) CallResponse {
		call.Operation = "listCampaigns"
		return s.Do(t.Context(), call)
	}
}

const internalError = `{"error":"internal error","code":"internal_error"}` + "\n"

// A panic in an MCP call would end the process: the library runs calls in
// goroutines of its own and recovers nothing.
func TestInProcessCall_PanicsAreAnswered(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	response := callOf(t, &log, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[`)
		panic("customer words")
	})(Call{})
	if response.Status != 500 || string(response.Body) != internalError {
		t.Errorf("got %d %s, want a clean 500", response.Status, response.Body)
	}
	if !strings.Contains(log.String(), "a handler panicked") || strings.Contains(log.String(), "customer words") {
		t.Errorf("the log says %s", log.String())
	}
}

// A stream that breaks off must not look complete.
func TestInProcessCall_BrokenStreamsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		recorded error
		status   int
	}{{nil, 500}, {errors.New("an accident"), 500}, {apierror.Unavailable(errors.New("gone")), 503}} {
		response := callOf(t, io.Discard, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"rows":[`)
			middleware.RecordFrom(r.Context()).Err = c.recorded
			panic(http.ErrAbortHandler)
		})(Call{})
		if response.Status != c.status || bytes.Contains(response.Body, []byte("rows")) {
			t.Errorf("%v: got %d %s, want %d", c.recorded, response.Status, response.Body, c.status)
		}
	}
}

// A stream that outgrows memory ends there, and the error is the response. What is written
// at once is in memory already.
func TestInProcessCall_StreamsAreBounded(t *testing.T) {
	t.Parallel()
	wrote := 0
	response := callOf(t, io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
			wrote++
		}
	})(Call{})
	if response.Status != 413 || !bytes.Contains(response.Body, []byte(`"code":"payload_too_large"`)) || wrote != 8 {
		t.Errorf("after %d MiB: got %d %s, want 413", wrote, response.Status, response.Body)
	}
	whole := callOf(t, io.Discard, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 9<<20)) })(Call{})
	if whole.Status != 200 || len(whole.Body) != 9<<20 {
		t.Errorf("a response written at once: got %d and %d bytes", whole.Status, len(whole.Body))
	}
}

// What handlers do to a connection has no effect here and does not fail.
func TestInProcessCall_StreamsMayFlushAndSetDeadlines(t *testing.T) {
	t.Parallel()
	response := callOf(t, io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		if err := errors.Join(control.SetWriteDeadline(time.Now().Add(-time.Hour)), control.Flush()); err != nil {
			panic(err)
		}
		_, _ = io.WriteString(w, `{}`)
	})(Call{})
	if response.Status != 200 || string(response.Body) != `{}` {
		t.Errorf("got %d %s", response.Status, response.Body)
	}
}
