package httpapi

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/fault"
)

// askOf makes a server whose operations are answered by one handler.
func askOf(t *testing.T, log io.Writer, inside http.HandlerFunc) func(Question) Reply {
	t.Helper()
	s, err := New(Deps{Validation: config.Off, Log: slog.New(slog.NewJSONHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	s.inside = inside
	return func(q Question) Reply {
		q.Operation = "listCampaigns"
		return s.Ask(t.Context(), q)
	}
}

const internalError = `{"error":"internal error","code":"internal_error"}` + "\n"

// A panic in an agent's call would end the process: the library runs calls in
// goroutines of its own and catches nothing.
func TestAsk_PanicsAreAnswered(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	reply := askOf(t, &log, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[`)
		panic("customer words")
	})(Question{})
	if reply.Status != 500 || string(reply.Body) != internalError {
		t.Errorf("got %d %s, want a clean 500", reply.Status, reply.Body)
	}
	if !strings.Contains(log.String(), "a handler panicked") || strings.Contains(log.String(), "customer words") {
		t.Errorf("the log says %s", log.String())
	}
}

// A stream that breaks off must not look whole.
func TestAsk_BrokenStreamsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		noted  error
		status int
	}{{nil, 500}, {errors.New("an accident"), 500}, {fault.OutOfReach(errors.New("gone")), 503}} {
		reply := askOf(t, io.Discard, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"rows":[`)
			exchangeFrom(r.Context()).err = c.noted
			panic(http.ErrAbortHandler)
		})(Question{})
		if reply.Status != c.status || bytes.Contains(reply.Body, []byte("rows")) {
			t.Errorf("%v: got %d %s, want %d", c.noted, reply.Status, reply.Body, c.status)
		}
	}
}

// An answer that outgrows its room ends there: the reader is told to stop, and
// the refusal is the answer.
func TestAsk_AnswersFitTheirRoom(t *testing.T) {
	t.Parallel()
	var sizes []int
	stopped := false
	reply := askOf(t, io.Discard, func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, 1000)); err != nil {
				stopped = r.Context().Err() != nil
				return
			}
		}
	})(Question{Room: func(size int) error {
		sizes = append(sizes, size)
		if size > 2500 {
			return fault.TooLarge("ask for less")
		}
		return nil
	}})
	if want := `{"error":"payload too large","details":"ask for less","code":"payload_too_large"}` + "\n"; reply.Status != 413 || string(reply.Body) != want {
		t.Errorf("got %d %s, want 413 %s", reply.Status, reply.Body, want)
	}
	if len(sizes) != 3 || sizes[2] != 3000 || !stopped {
		t.Errorf("room was asked for %v, and the reader stopped: %v", sizes, stopped)
	}
}

// What handlers do to connections means nothing here, and does no harm.
func TestAsk_StreamsMayFlushAndSetDeadlines(t *testing.T) {
	t.Parallel()
	reply := askOf(t, io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		if err := errors.Join(control.SetWriteDeadline(time.Now().Add(-time.Hour)), control.Flush()); err != nil {
			panic(err)
		}
		_, _ = io.WriteString(w, `{}`)
	})(Question{})
	if reply.Status != 200 || string(reply.Body) != `{}` {
		t.Errorf("got %d %s", reply.Status, reply.Body)
	}
}
