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

// callOf answers a call by a handler, and returns the body, and the error with its status.
func callOf(t *testing.T, log io.Writer, handler http.HandlerFunc) (body []byte, status int, err error) {
	t.Helper()
	s := &Server{deps: Deps{Observers: middleware.Observers{Log: slog.New(slog.NewJSONHandler(log, nil))}}, operations: chi.NewRouter()}
	if s.contract, err = middleware.LoadContract(); err != nil {
		t.Fatal(err)
	}
	s.operations.Get(s.contract.Operation("listCampaigns").Path, handler)
	outer := &middleware.Record{}
	body, err = s.Do(middleware.WithRecord(t.Context(), outer), Call{Operation: "listCampaigns", LogName: "list_campaigns"})
	return body, outer.ToolStatus, err
}

// A panic in an MCP call would end the process: the library runs calls in
// goroutines of its own and recovers nothing.
func TestInProcessCall_PanicsAreAnswered(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	body, status, err := callOf(t, &log, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[`)
		panic("customer words")
	})
	if e, ok := errors.AsType[*apierror.Error](err); status != 500 || body != nil || !ok || e.Code != "internal_error" {
		t.Errorf("got %d %s %v, want a clean 500", status, body, err)
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
		body, status, err := callOf(t, io.Discard, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"rows":[`)
			middleware.RecordFrom(r.Context()).Err = c.recorded
			panic(http.ErrAbortHandler)
		})
		if status != c.status || body != nil || err == nil {
			t.Errorf("%v: got %d %s %v, want %d", c.recorded, status, body, err, c.status)
		}
	}
}

// A stream that outgrows memory ends there, and the error is the response. What is written
// at once is in memory already.
func TestInProcessCall_StreamsAreBounded(t *testing.T) {
	t.Parallel()
	wrote := 0
	_, status, err := callOf(t, io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, maxStreamed/4)); err != nil {
				return
			}
			wrote++
		}
	})
	if e, ok := errors.AsType[*apierror.Error](err); status != 413 || !ok || e.Code != "payload_too_large" || wrote != 4 {
		t.Errorf("after %d pieces: got %d %v, want 413", wrote, status, err)
	}
	body, _, err := callOf(t, io.Discard, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2*maxStreamed)) })
	if err != nil || len(body) != 2*maxStreamed {
		t.Errorf("a response written at once: got %d bytes (%v)", len(body), err)
	}
}

// What handlers do to a connection has no effect here and does not fail.
func TestInProcessCall_StreamsMayFlushAndSetDeadlines(t *testing.T) {
	t.Parallel()
	body, _, err := callOf(t, io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		if err := errors.Join(control.SetWriteDeadline(time.Now().Add(-time.Hour)), control.Flush()); err != nil {
			panic(err)
		}
		_, _ = io.WriteString(w, `{}`)
	})
	if err != nil || string(body) != `{}` {
		t.Errorf("got %s (%v)", body, err)
	}
}
