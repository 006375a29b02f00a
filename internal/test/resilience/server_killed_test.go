//go:build linux

package resilience

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// A server killed with two hundred requests of one key in flight loses answers,
// never counts: what it had asked the database to count is counted, and the key
// gets what is left of its 600 elsewhere.
func TestServerIsKilledWithRequestsInFlight(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	key := w.key(t, "acme")
	doomed, steady := w.serve(t, w.OwnerURL()), w.serve(t, w.OwnerURL())
	var mu sync.Mutex
	var answers []cluster.Response
	ask := func(s *cluster.Server) {
		a := w.caller.Get(t.Context(), s.URL, "/interviews?limit=1", key)
		mu.Lock()
		defer mu.Unlock()
		answers = append(answers, a)
	}
	var callers sync.WaitGroup
	for range 60 { // some are answered before
		callers.Go(func() { ask(doomed) })
	}
	callers.Wait()
	release := w.holdTransaction(t, "LOCK TABLE request_log IN EXCLUSIVE MODE")
	for range 200 {
		callers.Go(func() { ask(doomed) })
	}
	w.awaitNumber(t, 1, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'clientintel admission' AND wait_event_type = 'Lock'")
	doomed.Kill()
	release()
	callers.Wait()
	for _, a := range answers {
		switch a.Status {
		case 0: // lost
		case http.StatusTooManyRequests:
			t.Errorf("limited after %d requests at most: %s", len(answers), a.Body)
		default:
			wantValidResponse(t, a)
		}
	}
	w.wantExactQuota(t, steady, key, answers)
	w.wantCorrectCounts(t, steady)
}

// awaitNumber waits until the database answers with at least so much.
func (w *environment) awaitNumber(t *testing.T, want int, sql string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); w.number(t, sql) < want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s stays below %d", sql, want)
		}
	}
}
