//go:build linux

package resilience

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/cluster"
)

// load is callers that send requests without end.
type load struct {
	stop    context.CancelFunc
	callers sync.WaitGroup

	mu      sync.Mutex
	answers map[string][]cluster.Response // by key
}

// paths are what callers ask for in turn.
func paths() []string {
	return []string{
		"/interviews?limit=20", "/campaigns", "/analytics/interviews", "/synthesis?limit=5",
		"/intelligence/search?q=support&limit=5",
	}
}

// callers start, one for each key: they ask whichever servers are next, and pause after
// each answer.
func (w *environment) callers(t *testing.T, keys []string, next func(i int) *cluster.Server, pause time.Duration) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop, answers: map[string][]cluster.Response{}}
	for n, key := range keys {
		l.callers.Go(func() {
			for i := n; ctx.Err() == nil; i++ {
				// Asked to the end: an answer cut off by us would prove nothing.
				a := w.caller.Get(context.WithoutCancel(ctx), next(i).URL, paths()[i%len(paths())], key)
				l.mu.Lock()
				l.answers[key] = append(l.answers[key], a)
				l.mu.Unlock()
				if a.Status != 200 {
					time.Sleep(20 * time.Millisecond)
				}
				time.Sleep(pause)
			}
		})
	}
	t.Cleanup(func() { stop(); l.callers.Wait() })
	return l
}

// only is one server that is always next.
func only(s *cluster.Server) func(int) *cluster.Server { return func(int) *cluster.Server { return s } }

// end stops the callers, and returns how many answers had which status.
func (l *load) end() map[int]int {
	l.stop()
	l.callers.Wait()
	return l.statuses()
}

// statuses are how many answers have come so far with which status.
func (l *load) statuses() map[int]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := map[int]int{}
	for _, answers := range l.answers {
		for _, a := range answers {
			n[a.Status]++
		}
	}
	return n
}

// await waits for so many more answers with a status.
func (l *load) await(t *testing.T, status, more int) {
	t.Helper()
	want := l.statuses()[status] + more
	for end := time.Now().Add(time.Minute); l.statuses()[status] < want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d answers with status %d, want %d", l.statuses()[status], status, want)
		}
	}
}

// wantValidResponses wants every answer to be a 200, a 429 or a well-formed 503.
// One that did not come in the caller's time has status 0. It returns the longest wait for
// a 503.
func (l *load) wantValidResponses(t *testing.T) time.Duration {
	t.Helper()
	var longest time.Duration
	for _, answers := range l.answers {
		for _, a := range answers {
			wantValidResponse(t, a)
			if a.Status == 503 {
				longest = max(longest, a.Took)
			}
		}
	}
	t.Logf("longest 503: %s", longest.Round(time.Millisecond))
	return longest
}

func wantValidResponse(t *testing.T, a cluster.Response) {
	t.Helper()
	switch {
	case a.Status == 503:
		if a.Code != "service_unavailable" || a.Header.Get("Retry-After") == "" {
			t.Errorf("a 503 has code %q, Retry-After %q", a.Code, a.Header.Get("Retry-After"))
		}
	case a.Status != 200 && a.Status != 429:
		t.Errorf("status %d, code %q, %v: %s", a.Status, a.Code, a.Err, a.Body)
	}
}

// wantExactQuota spends a key's quota and compares its log with its responses: exactly
// 600 rows, no more 200s than rows, no Remaining twice.
func (w *environment) wantExactQuota(t *testing.T, s *cluster.Server, key string, before []cluster.Response) {
	t.Helper()
	var mu sync.Mutex
	answers := append([]cluster.Response(nil), before...)
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			for range 60 {
				a := w.caller.Get(t.Context(), s.URL, "/campaigns?limit=1", key)
				mu.Lock()
				answers = append(answers, a)
				mu.Unlock()
				if a.Status == http.StatusTooManyRequests {
					return
				}
			}
		})
	}
	callers.Wait()
	said, statuses := map[int]int{}, map[int]int{}
	for _, a := range answers {
		statuses[a.Status]++
		if n, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining")); err == nil && a.Status != http.StatusTooManyRequests {
			said[n]++
		}
	}
	for n, times := range said {
		check.Equal(t, times, 1, "times that Remaining was said to be", n)
	}
	const limit = 600
	prefix := key[4:16]
	rows := w.Number(t, "SELECT count(*) FROM request_log AS l JOIN api_keys AS k ON k.id = l.key_id WHERE k.prefix = $1", prefix)
	last := w.Number(t, "SELECT max(l.seq) - min(l.seq) + 1 FROM request_log AS l JOIN api_keys AS k ON k.id = l.key_id WHERE k.prefix = $1", prefix)
	lost := statuses[503] + statuses[0] // may have been counted or not
	if rows != limit || last != limit || statuses[429] == 0 || statuses[200] > limit || statuses[200] < limit-lost {
		t.Errorf("%d rows, numbered up to %d, statuses %v: want exactly %d counted, and each answered but for those lost", rows, last, statuses, limit)
	}
}
