package middleware

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/require"
)

// sampled samples responses without the pause between them.
type sampled struct {
	*ResponseValidator
	operation *Operation
}

func newSampled(t *testing.T) sampled {
	t.Helper()
	c, err := LoadContract()
	require.NoError(t, err)
	return sampled{NewResponseValidator(config.Sample, slog.New(slog.DiscardHandler)), c.Operation("listCampaigns")}
}

// answer returns what the caller of one response got.
func (s sampled) answer(t *testing.T, handler http.HandlerFunc) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	func() {
		defer func() { _ = recover() }()
		s.Validate(handler).ServeHTTP(w, requestFor(s.operation))
	}()
	return w
}

// waitIdle waits until the sample has ended, and makes the next one due at once.
func (s sampled) waitIdle(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); s.active.Load(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the sample never ended")
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

// However a response ends, the next one can be sampled, and each verdict counts.
func TestSample_EachEndAllowsTheNext(t *testing.T) {
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
		s.waitIdle(t)
		if s.Checked.Load()-checked != c.checked || s.Broken.Load()-broken != c.broken {
			t.Errorf("%s: %d checked and %d broken, want %d and %d", c.name, s.Checked.Load()-checked, s.Broken.Load()-broken, c.checked, c.broken)
		}
	}
}
