//go:build linux

package resilience

import (
	"syscall"
	"testing"
	"time"
)

// A lock on the interviews, as a migration or an operator may hold it, makes
// readers late and then refused.
func TestInterviewsAreLocked(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	keys := w.keys(t, "acme", 24)
	s := w.serve(t, w.OwnerURL())
	release := w.holdTransaction(t, "LOCK TABLE interviews IN ACCESS EXCLUSIVE MODE")
	l := w.callers(t, keys, s)
	l.await(t, 503, 2*len(keys))
	release()
	t.Logf("ready again after %s", w.awaitReady(t, s, w.key(t, "acme")))
	l.await(t, 200, 50)
	l.end()
	l.wantValidResponses(t)
	w.wantCorrectCounts(t, s)
	w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
}

// A lock on the log stops admission: no request is admitted uncounted, and each is
// refused in time.
func TestLogIsLocked(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	keys := w.keys(t, "acme", 16)
	s := w.serve(t, w.OwnerURL())
	release := w.holdTransaction(t, "LOCK TABLE request_log IN EXCLUSIVE MODE")
	l := w.callers(t, keys, s)
	l.await(t, 503, 2*len(keys))
	if n := l.count(200); n > 0 {
		t.Errorf("%d requests were let in uncounted", n)
	}
	release()
	t.Logf("ready again after %s", w.awaitReady(t, s, w.key(t, "acme")))
	l.await(t, 200, 50)
	l.end()
	l.wantValidResponses(t)
	w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
}

// A server that is asked to stop while its database is frozen ends all the same.
func TestStoppingOnAFrozenDatabase(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	keys := w.keys(t, "acme", 8)
	s := w.serve(t, w.OwnerURL())
	l := w.callers(t, keys, s)
	l.await(t, 200, 20)
	w.Freeze()
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	s.Signal(syscall.SIGTERM)
	// Four seconds for requests in flight, four for the log, three for goodbyes.
	if inTime, _ := s.Wait(25 * time.Second); !inTime {
		t.Errorf("the server still runs: %s", s.Logs())
	}
	t.Logf("ended after %s", time.Since(began))
	w.Resume()
	l.end()
}
