package httpapi

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/config"
)

// sampled lets answers be sampled without the rest between them.
type sampled struct {
	*responseChecker
	contract *contract
}

func newSampled(t *testing.T) sampled {
	t.Helper()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	return sampled{newResponseChecker(config.Sample, validatorOptions(), slog.New(slog.DiscardHandler)), c}
}

// answer watches one answer and returns what its caller got.
func (s sampled) answer(t *testing.T, handler http.HandlerFunc) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, Prefix+"/campaigns", nil)
	route, params, err := s.contract.router.FindRoute(r)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	func() {
		defer func() { _ = recover() }()
		s.watch(w, r, route, params, handler)
	}()
	return w
}

// settled waits until the turn has ended, and lets the next one come at once.
func (s sampled) settled(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); s.sampling.Load(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the turn never ended")
		}
	}
	s.nextAt.Store(0)
}

func say(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body)
	}
}

// However an answer ends, the next one can be sampled, and what was found counts.
func TestSample_TheTurnComesBack(t *testing.T) {
	t.Parallel()
	s := newSampled(t)
	large := bytes.Repeat([]byte("x"), maxSampled+1)
	for _, c := range []struct {
		name            string
		handler         http.HandlerFunc
		checked, broken int64
	}{
		{"against the contract", say([]byte(`{"data":7}`)), 1, 1},
		{"too large", say(large), 0, 0},
		{"too large in pieces", func(w http.ResponseWriter, r *http.Request) {
			for piece := range slices.Chunk(large, 100_000) {
				say(piece)(w, r)
			}
		}, 0, 0},
		{"broken off", func(w http.ResponseWriter, r *http.Request) {
			say([]byte(`{"data":[`))(w, r)
			panic(http.ErrAbortHandler)
		}, 0, 0},
		{"against the contract again", say([]byte(`{"data":7}`)), 1, 1},
	} {
		checked, broken := s.Checked.Load(), s.Broken.Load()
		bare := httptest.NewRecorder()
		func() {
			defer func() { _ = recover() }()
			c.handler(bare, nil)
		}()
		if got := s.answer(t, c.handler); !bytes.Equal(got.Body.Bytes(), bare.Body.Bytes()) || got.Code != bare.Code {
			t.Errorf("%s: the caller got %d bytes, want %d", c.name, got.Body.Len(), bare.Body.Len())
		}
		s.settled(t)
		if s.Checked.Load()-checked != c.checked || s.Broken.Load()-broken != c.broken {
			t.Errorf("%s: %d checked and %d broken, want %d and %d", c.name, s.Checked.Load()-checked, s.Broken.Load()-broken, c.checked, c.broken)
		}
	}
}

// One copy is held at a time, however slowly callers read, and one that is given
// up does not keep the turn.
func TestSample_OneCopyAtATime(t *testing.T) {
	t.Parallel()
	s := newSampled(t)
	copies := func() bool {
		copied := false
		s.answer(t, func(w http.ResponseWriter, _ *http.Request) {
			_, copied = w.(*copyingWriter)
			panic(http.ErrAbortHandler)
		})
		return copied
	}
	during, after := true, false
	s.answer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "some")
		during = copies()
		_, _ = w.Write(make([]byte, maxSampled))
		s.nextAt.Store(0)
		after = copies()
	})
	if during || !after {
		t.Errorf("another is copied beside a copy: %v, and beside one that was given up: %v; want no and yes", during, after)
	}
}

// A check is followed by a rest that is many times as long.
func TestSample_RestsInProportion(t *testing.T) {
	t.Parallel()
	s := newSampled(t)
	for took, least := range map[time.Duration]time.Duration{0: sampleEvery, time.Second: restFactor * time.Second} {
		before := time.Now()
		s.sampling.Store(true)
		s.rest(took)
		if next := time.Unix(0, s.nextAt.Load()); s.sampling.Load() || next.Before(before.Add(least)) || next.After(time.Now().Add(least)) {
			t.Errorf("after %s the next turn is in %s, want %s", took, next.Sub(before), least)
		}
		if s.due() {
			t.Errorf("after %s the next turn came at once", took)
		}
	}
}
