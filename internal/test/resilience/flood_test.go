//go:build linux

package resilience

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// refusedBy is how many requests were answered 503, by caller.
func refusedBy(t *testing.T, s *cluster.Server, caller string) (n float64) {
	t.Helper()
	figures, err := s.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range []string{"none", "listInterviews"} {
		n += figures[fmt.Sprintf(`clientintel_request_duration_seconds_count{caller=%q,operation=%q,status="503"}`, caller, operation)]
	}
	return n
}

// A flood of requests without a key is refused under a caller of its own, which the
// alerts on errors leave out. What an outage refuses is not, though the server has
// verified no key before.
func TestAFloodIsNoOutage(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	s := w.serve(t, w.OwnerURL())
	key := w.key(t, "acme")

	const callers = 3000 // more than get a slot before they are refused
	caller := cluster.NewCaller(callers)
	defer caller.Close()
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	defer flood.Wait()
	defer stop()
	for range callers {
		flood.Go(func() {
			for ctx.Err() == nil {
				caller.Get(ctx, s.URL, "/nothing", "")
			}
		})
	}
	for end := time.Now().Add(30 * time.Second); refusedBy(t, s, "unverified") == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no request of the flood was refused for want of a slot")
		}
	}
	if n := refusedBy(t, s, "unknown") + refusedBy(t, s, "verified"); n != 0 {
		t.Errorf("%v requests of the flood count as errors", n)
	}
	stop()
	flood.Wait() // or the response would be late on a busy machine, for no fault
	w.Stop()
	wantValidResponse(t, w.caller.Get(t.Context(), s.URL, "/interviews", key))
	if n := refusedBy(t, s, "unknown"); n != 1 {
		t.Errorf("%v requests count as refused by an outage, want that of the key", n)
	}
}
