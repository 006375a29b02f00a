package app

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Garbage is collected before it takes more memory than the limit, unless the
// operator sets another one.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Setenv("GOMEMLIMIT", "")
	ctx, cancel := context.WithCancel(t.Context())
	limitMemory(ctx, func() int {
		if got := debug.SetMemoryLimit(-1); got != memoryLimit {
			t.Errorf("the limit is %d, want %d", got, memoryLimit)
		}
		cancel()
		return 0
	})
	t.Setenv("GOMEMLIMIT", "1GiB")
	limitMemory(t.Context(), func() int { return 5000 })
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("with GOMEMLIMIT the limit becomes %d, want %d", got, before)
	}
}

// What connections hold is no garbage: the limit rises with them, up to a bound, and
// falls when they are closed.
func TestLimitMemory_RisesWithConnections(t *testing.T) { //nolint:paralleltest // it sets the process's limit
	t.Setenv("GOMEMLIMIT", "")
	ctx, cancel := context.WithCancel(t.Context())
	var open atomic.Int64
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	following.Go(func() { limitMemory(ctx, func() int { return int(open.Load()) }) })
	for _, step := range []struct {
		connections int64
		more        int64 // MiB
	}{{100, 0}, {5000, 39}, {8192, 40}, {1 << 20, 40}, {0, 0}} {
		open.Store(step.connections)
		want := memoryLimit + step.more<<20
		for end := time.Now().Add(30 * time.Second); debug.SetMemoryLimit(-1) != want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("with %d connections the limit is %d, want %d", step.connections, debug.SetMemoryLimit(-1), want)
			}
		}
	}
}
