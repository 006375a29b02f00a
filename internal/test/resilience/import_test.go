//go:build linux

package resilience

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// An import that is killed, or whose database or readers are, imports all or
// nothing. Readers see the counts of before or of after, and a second
// try brings everything.
func TestImportIsKilled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		// strike comes in mid-import, the rest of the file still to be sent.
		strike func(*testing.T, *environment, *cluster.Command)
		// done: the import is to succeed.
		done bool
	}{
		{"itself", func(_ *testing.T, _ *environment, c *cluster.Command) { c.Signal(syscall.SIGKILL) }, false},
		{"with PostgreSQL", func(t *testing.T, w *environment, _ *cluster.Command) {
			w.Kill()
			if err := w.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"as are the readers' connections", func(t *testing.T, w *environment, _ *cluster.Command) {
			w.number(t, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'clientintel %' AND application_name <> 'clientintel import'")
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			s := w.serve(t, w.OwnerURL())
			before := w.total(t)
			totals := w.watchTotals(t, s)

			file := importFile(t, 3000)
			under, err := base.Start(w.OwnerURL(), "import", "-")
			if err != nil {
				t.Fatal(err)
			}
			half := len(file) * 3 / 4 // all of the first client, and more
			if _, err := under.Stdin.Write([]byte(file[:half])); err != nil {
				t.Fatal(err)
			}
			w.awaitNumber(t, 1, "SELECT count(*) FROM pg_stat_activity WHERE query ILIKE 'copy %' AND state = 'active'")
			c.strike(t, w, under)
			_, _ = under.Stdin.Write([]byte(file[half:]))
			_ = under.Stdin.Close()
			if _, stderr, err := under.Output(time.Minute); (err == nil) != c.done {
				t.Errorf("the import ended with %v: %s", err, stderr)
			}
			if !c.done {
				if got := w.total(t); got != before {
					t.Errorf("%d interviews, want the %d of before", got, before)
				}
				w.awaitReady(t, s, w.key(t, "acme"))
				w.wantCorrectCounts(t, s)
				w.importing(t, file)
			}
			after := w.total(t)
			w.wantCorrectCounts(t, s)
			for _, total := range totals() {
				if total != w.acmeOf(before) && total != w.acmeOf(after) {
					t.Errorf("readers saw %d interviews, between %d and %d", total, w.acmeOf(before), w.acmeOf(after))
				}
			}
		})
	}
}

// total is acme's usable interviews, and how many there are in all, in one number.
func (w *environment) total(t *testing.T) int {
	t.Helper()
	usable := w.number(t, "SELECT count(*) FROM usable_interviews AS i JOIN clients AS c ON c.id = i.client_id WHERE c.slug = 'acme'")
	return usable*newInterviews + w.number(t, "SELECT count(*) FROM interviews")
}

const newInterviews = 1_000_000

func (w *environment) acmeOf(total int) int { return total / newInterviews }

// watchTotals asks for acme's total on and on; the function ends that and
// returns each total that was seen.
func (w *environment) watchTotals(t *testing.T, s *cluster.Server) func() []int {
	t.Helper()
	keys := w.keys(t, "acme", 8)
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	var seen []int
	var watching sync.WaitGroup
	watching.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			a := w.caller.Get(context.WithoutCancel(ctx), s.URL, "/interviews?limit=1", keys[i%len(keys)])
			var list struct {
				Meta struct {
					Total int `json:"measurement_total_count"`
				}
			}
			if json.Unmarshal(a.Body, &list) == nil && a.Status == 200 && !slices.Contains(seen, list.Meta.Total) {
				seen = append(seen, list.Meta.Total)
			}
			wantValidResponse(t, a)
			time.Sleep(5 * time.Millisecond)
		}
	})
	return func() []int { stop(); watching.Wait(); return seen }
}
