//go:build linux

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/rig"
)

// account is what was sent and heard with one key.
type account struct {
	sent     int
	statuses map[int]int
	said     map[string]int // Remaining, of what was let in
}

// promised is how long an answer may take, whatever happens to the database:
// see docs/faults.md. The rest is for a busy machine.
const promised = 10 * time.Second

// read has callers ask for everything, key after key.
func (w *world) read(ctx context.Context) {
	const callers = 6
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			random := w.random(uint64(100 + n))
			for ctx.Err() == nil {
				key, err := w.key(ctx, w.brands[n%len(w.brands)].slug)
				if err != nil { // the database is away
					rest(ctx, 100*time.Millisecond)
					continue
				}
				for ctx.Err() == nil {
					paths := paths()
					a := w.ask(ctx, random.IntN(len(w.servers)), paths[random.IntN(len(paths))], key)
					if a.Status == 429 {
						break
					}
					rest(ctx, time.Duration(random.IntN(40))*time.Millisecond)
				}
			}
		})
	}
	all.Wait()
}

func paths() []string {
	return []string{
		"/interviews?limit=50", "/interviews?limit=200&date_from=2020-01-01", "/campaigns", "/synthesis",
		"/synthesis?surface=portal&type=home", "/analytics/interviews", "/analytics/interviews?date_from=2000-01-01",
		"/intelligence/search?q=support", "/intelligence/search?q=zanzibar", "/interviews?status=completed&limit=20",
	}
}

// ask asks one server and enters the answer in the key's account. An answer is
// heard to its end, even when time is up.
func (w *world) ask(ctx context.Context, n int, path, key string) rig.Answer {
	s := w.server(n)
	a := w.caller.Get(context.WithoutCancel(ctx), s.URL, path, key)
	w.reads.Add(1)
	w.mu.Lock()
	entry := w.ledger[key]
	if entry == nil {
		entry = &account{statuses: map[int]int{}, said: map[string]int{}}
		w.ledger[key] = entry
	}
	entry.sent++
	entry.statuses[a.Status]++
	if a.Status != 429 && a.Header.Get("X-RateLimit-Remaining") != "" {
		entry.said[a.Header.Get("X-RateLimit-Remaining")]++
	}
	w.mu.Unlock()
	if fault := disorder(a); fault != "" && (n != victim || a.Status != 0) {
		w.wrong("%s: %s", path, fault)
	}
	if a.Status == 503 {
		w.refused.Add(1)
		rest(ctx, 100*time.Millisecond)
	}
	return a
}

// disorder says what no answer may be, whatever happens.
func disorder(a rig.Answer) string {
	switch {
	case a.Took > promised:
		return fmt.Sprintf("status %d came after %s", a.Status, a.Took)
	case a.Status == 0:
		return fmt.Sprintf("the connection broke: %v", a.Err)
	case a.Status == 503 && (a.Code != "service_unavailable" || a.Header.Get("Retry-After") == ""):
		return fmt.Sprintf("503 with code %q, Retry-After %q", a.Code, a.Header.Get("Retry-After"))
	case a.Status != 200 && a.Status != 429 && a.Status != 503:
		return fmt.Sprintf("status %d: %s", a.Status, a.Body)
	}
	return ""
}

// rest waits, unless the end comes first.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
