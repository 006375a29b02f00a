//go:build linux

package resilience

import (
	"sync"
	"testing"
	"time"
)

// When PostgreSQL is killed, restarted or crashes under load, callers get 503
// until it is back and 200 from then on; counts stay true, and a key's 600 are
// neither given back nor given twice.
func TestPostgresIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(*environment)
	}{
		{"killed", func(w *environment) { w.Kill() }},
		{"stopped", func(w *environment) { w.Stop() }},
		{"crashed", func(w *environment) { w.Crash() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			keys := w.keys(t, "acme", 8)
			s := w.serve(t, w.OwnerURL())
			l := w.callers(t, keys, s)
			l.await(t, 200, 50)
			c.end(w)
			l.await(t, 503, 30)
			wantUnready(t, s)
			if err := w.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Logf("ready again after %s", w.awaitReady(t, s, w.key(t, "acme")))
			l.await(t, 200, 50)
			l.end()
			l.wantValidResponses(t)
			w.wantCorrectCounts(t, s)
			w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
		})
	}
}

// A frozen PostgreSQL keeps its connections open and answers nothing: requests
// are given up in time all the same, those in flight too, and nothing is left
// over when it goes on.
func TestPostgresIsFrozen(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	keys := w.keys(t, "acme", 24)
	s := w.serve(t, w.OwnerURL())
	l := w.callers(t, keys, s)
	l.await(t, 200, 50)
	w.Freeze()
	began := time.Now()
	l.await(t, 503, 2*len(keys))
	t.Logf("all callers heard 503 twice within %s", time.Since(began))
	wantUnready(t, s)
	w.Resume()
	t.Logf("ready again after %s", w.awaitReady(t, s, w.key(t, "acme")))
	l.await(t, 200, 50)
	l.end()
	l.wantValidResponses(t)
	w.wantCorrectCounts(t, s)
	w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
}

// A database that stops for short moments makes responses slow, not wrong: few are
// refused, and those only on a busy machine.
func TestPostgresStutters(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	keys := w.keys(t, "acme", 8)
	s := w.serve(t, w.OwnerURL(), "CLIENTINTEL_STATEMENT_TIMEOUT=10s")
	l := w.callers(t, keys, s)
	for range 8 {
		l.await(t, 200, 5)
		w.Freeze()
		time.Sleep(200 * time.Millisecond)
		w.Resume()
	}
	if statuses := l.end(); statuses[503]*20 > statuses[200] {
		t.Errorf("statuses %v: want hardly a refusal", statuses)
	}
	l.wantValidResponses(t)
	w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
}

// Many more callers than admission serves at once are refused as quickly as one.
func TestPostgresIsFrozenUnderACrowd(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	keys := w.keys(t, "globex", 4)
	s := w.serve(t, w.OwnerURL())
	w.Freeze()
	var crowd sync.WaitGroup
	var mu sync.Mutex
	var longest time.Duration
	for i := range 400 {
		crowd.Go(func() {
			a := w.caller.Get(t.Context(), s.URL, "/interviews?limit=1", keys[i%len(keys)])
			wantValidResponse(t, a)
			if a.Status != 503 {
				t.Errorf("status %d", a.Status)
			}
			mu.Lock()
			longest = max(longest, a.Took)
			mu.Unlock()
		})
	}
	crowd.Wait()
	t.Logf("longest 503: %s", longest)
	w.Resume()
	t.Logf("ready again after %s", w.awaitReady(t, s, keys[0]))
}
