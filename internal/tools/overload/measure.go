//go:build linux

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// tally is how requests were answered.
type tally struct {
	mu          sync.Mutex
	took        []time.Duration // of those answered with 200
	Statuses    map[int]int
	Slowest     time.Duration // of those answered with 503
	WrongErrors int           // a 5xx that is no 503 with Retry-After
}

func newTally() *tally { return &tally{Statuses: map[int]int{}} }

// merge adds the counts of a tally of another process.
func (t *tally) merge(other *tally) {
	for status, n := range other.Statuses {
		t.Statuses[status] += n
	}
	t.Slowest = max(t.Slowest, other.Slowest)
	t.WrongErrors += other.WrongErrors
}

func (t *tally) add(a cluster.Response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Statuses[a.Status]++
	switch {
	case a.Status == 200:
		t.took = append(t.took, a.Took)
	case a.Status == 503 && a.Header.Get("Retry-After") != "":
		t.Slowest = max(t.Slowest, a.Took)
	case a.Status >= 500:
		t.WrongErrors++
	}
}

func (t *tally) p99() time.Duration {
	if len(t.took) == 0 {
		return 0
	}
	slices.Sort(t.took)
	return t.took[len(t.took)*99/100]
}

func (t *tally) String() string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(t.Statuses)) {
		parts = append(parts, fmt.Sprintf("%d×%d", t.Statuses[status], status))
	}
	return strings.Join(parts, " ")
}

// result is one line of the table.
type result struct {
	load        load
	alone, then *tally
	own         *tally
	megabytes   float64
}

// refused is how many of the others' requests were not answered with 200.
func (r result) refused() (n int) {
	for status, count := range r.then.Statuses {
		if status != 200 {
			n += count
		}
	}
	return n
}

// promisesHeld reports whether others were answered, all of them, and in time.
func (r result) promisesHeld() bool {
	return r.refused() == 0 && r.then.p99() <= max(3*r.alone.p99(), 100*time.Millisecond) &&
		r.megabytes <= maxMegabytes && r.own.WrongErrors == 0
}

// maxMegabytes bounds the server's memory under any of the loads.
const maxMegabytes = 256

func (r result) String() string {
	mark := ""
	if !r.promisesHeld() {
		mark = "!"
	}
	return fmt.Sprintf("%-16s %9s %9s %7d  %-34s %9.0f  %-7s %s", r.load.name,
		r.alone.p99().Round(100*time.Microsecond), r.then.p99().Round(100*time.Microsecond), r.refused(),
		r.own, r.megabytes, r.own.Slowest.Round(time.Millisecond), mark)
}

// measure probes without and with the load, in turn.
func (s *environment) measure(ctx context.Context, l load, rounds int, length time.Duration) (result, error) {
	r := result{load: l, alone: newTally(), then: newTally(), own: newTally()}
	for range rounds {
		keys, err := s.pg.IssueKeys(ctx, "acme", probes)
		if err != nil {
			return r, err
		}
		if err := s.warm(ctx, keys); err != nil {
			return r, err
		}
		if err := s.probe(ctx, keys, r.alone, length); err != nil {
			return r, err
		}
		if l.newKeys {
			if keys, err = s.pg.IssueKeys(ctx, "acme", probes); err != nil {
				return r, err
			}
			rest(ctx, keysKnownAfter)
		}
		s.resetPeak()
		stop, err := s.startLoad(ctx, l)
		if err != nil {
			return r, err
		}
		time.Sleep(time.Second) // until it weighs
		if err := s.probe(ctx, keys, r.then, length); err != nil {
			return r, err
		}
		r.megabytes = max(r.megabytes, s.peak())
		if err := stop(r.own); err != nil {
			return r, err
		}
		time.Sleep(time.Second)
	}
	return r, ctx.Err()
}

// resetPeak begins to measure the server's largest memory, which peak returns in megabytes.
func (s *environment) resetPeak() {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.server.PID), []byte("5"), 0)
}

func (s *environment) peak() float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.PID))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	_, _ = fmt.Sscan(after, &kilobytes)
	return kilobytes / 1e3
}

const (
	// probes is how many callers probe, each with a key of its own.
	probes = 20
	// probeInterval is when each of them asks again.
	probeInterval = time.Second
	// keysKnownAfter is when the server has read the client of a new key.
	keysKnownAfter = 11 * time.Second
)

// probe has callers ask for a page once a second, at moments spread over it.
func (s *environment) probe(ctx context.Context, keys []string, into *tally, length time.Duration) error {
	caller := cluster.NewCaller(probes)
	defer caller.Close()
	began := time.Now()
	var callers sync.WaitGroup
	for i, key := range keys {
		callers.Go(func() {
			for at := probeInterval * time.Duration(i) / probes; at < length && ctx.Err() == nil; at += probeInterval {
				rest(ctx, time.Until(began.Add(at)))
				into.add(caller.Get(ctx, s.server.URL, probePath, key))
			}
		})
	}
	callers.Wait()
	return ctx.Err()
}

const probePath = "/interviews?limit=20"

// warm has each key admitted once, as those of others have been before a load begins.
func (s *environment) warm(ctx context.Context, keys []string) error {
	caller := cluster.NewCaller(1)
	defer caller.Close()
	for _, key := range keys {
		if a := caller.Get(ctx, s.server.URL, probePath, key); a.Status != 200 {
			return fmt.Errorf("a first request is answered with %d %s", a.Status, a.Code)
		}
	}
	return nil
}
