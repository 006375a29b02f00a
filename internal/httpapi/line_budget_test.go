package httpapi

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// A flood of requests that no key's limit counts is logged so many times in a
// second, and the next line says how many lines are missing.
func TestAccessLog_UncountedRequestsAreBounded(t *testing.T) {
	t.Parallel()
	var b lineBudget
	now := time.Unix(1000, 0)
	for i := range maxUncountedLines {
		if unlogged, may := b.take(now); !may || unlogged != 0 {
			t.Fatalf("line %d of a second: %v, %d", i, may, unlogged)
		}
	}
	for range 7 {
		if _, may := b.take(now); may {
			t.Error("one line too many is logged")
		}
	}
	if unlogged, may := b.take(now.Add(time.Second)); !may || unlogged != 7 {
		t.Errorf("in the next second: %v, %d unlogged, want 7", may, unlogged)
	}
}

// The bound is for those requests alone.
func TestAccessLog_AdmittedRequestsAreAllLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := logTo(t, &log)
	s.deps.Limiter = &ratelimit.Limiter{}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	const more = 1000
	began := time.Now()
	for range more * maxUncountedLines {
		s.logRequest(r, &requestRecord{operation: "uncounted"}, http.StatusUnauthorized, 0)
	}
	seconds := int(time.Since(began)/time.Second) + 2
	if n := strings.Count(log.String(), "uncounted"); n > seconds*maxUncountedLines {
		t.Errorf("%d lines in %d seconds", n, seconds)
	}
	for what, record := range map[string]*requestRecord{
		"a failure":         {operation: "failed", err: errors.New("why")},
		"a key's wrong end": {operation: "keyed", keyID: uuid.New()},
	} {
		log.Reset()
		status := http.StatusUnauthorized
		if record.err != nil {
			status = http.StatusServiceUnavailable
		}
		if s.logRequest(r, record, status, 0); !strings.Contains(log.String(), record.operation) {
			t.Errorf("%s is not logged beside a flood of others", what)
		}
	}
	log.Reset()
	refused := &requestRecord{operation: "refused", err: apierror.Unavailable(ratelimit.ErrNoSlot)}
	for range more {
		s.logRequest(r, refused, http.StatusServiceUnavailable, 0)
	}
	s.logRequest(r, &requestRecord{operation: "failed"}, http.StatusServiceUnavailable, 0)
	if !strings.Contains(log.String(), "failed") || strings.Count(log.String(), `"level":"ERROR"`) != 1 {
		t.Errorf("refusals for want of a slot hide a failure, or are logged as one: %.500s", log.String())
	}
	log.Reset()
	for range more {
		s.logRequest(r, &requestRecord{admission: ratelimit.Admission{Verdict: ratelimit.Admitted}}, http.StatusOK, 0)
	}
	if n := strings.Count(log.String(), "\n"); n != more {
		t.Errorf("%d of %d admitted requests are logged", n, more)
	}
}
