package app

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The server uses its share of the processors, and all while it is busy.
func TestUseAllWhile(t *testing.T) { //nolint:paralleltest // it sets the process's processors
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	p := ShareProcessors("postgres://u@localhost/d")
	ctx, cancel := context.WithCancel(t.Context())
	var busy atomic.Bool
	var watching sync.WaitGroup
	watching.Go(func() { p.UseAllWhile(ctx, busy.Load) })
	for _, want := range []int{2, 4, 2} {
		busy.Store(want == 4)
		for end := time.Now().Add(30 * time.Second); runtime.GOMAXPROCS(0) != want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d processors, want %d", runtime.GOMAXPROCS(0), want)
			}
		}
	}
	cancel()
	watching.Wait()
	if p.Restore(); runtime.GOMAXPROCS(0) != 4 {
		t.Errorf("%d processors are restored, want 4", runtime.GOMAXPROCS(0))
	}
}

func TestOnThisMachine(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"postgres://u@/d?host=/var/run/postgresql": true,
		"postgres://u@localhost:5432/d":            true,
		"postgres://u@127.0.0.1/d":                 true,
		"postgres://u@[::1]:5433/d":                true,
		"postgres://u@10.0.0.7/d":                  false,
		"postgres://u@db.example.com/d":            false,
		"not a URL":                                false,
	} {
		if got := onThisMachine(url); got != want {
			t.Errorf("%q is on this machine: %v, want %v", url, got, want)
		}
	}
}
