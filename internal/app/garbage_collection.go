package app

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// gcPercent lets garbage grow to four times the live heap while that is small:
	// collecting the few megabytes of an idle server is a tenth of its work.
	gcPercent = 400
	// usualMemory is the limit while the live heap is small.
	usualMemory = 30 << 20
)

// tuneGarbageCollector trades memory for processor time up to usualMemory, and
// beyond that collects as Go does by default. GOGC or GOMEMLIMIT disables it.
func tuneGarbageCollector(ctx context.Context) {
	percent := debug.SetGCPercent(gcPercent)
	if percent != 100 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		debug.SetGCPercent(percent)
		return
	}
	defer debug.SetGCPercent(percent)
	defer debug.SetMemoryLimit(math.MaxInt64)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		debug.SetMemoryLimit(limitFor(memory()))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// memory is the size of the live heap, and of what the limit counts beside the heap:
// most of it stacks, which each connection has.
func memory() (live, beside int64) {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	beside = int64(samples[1].Value.Uint64())
	for _, of := range samples[2:] {
		beside -= int64(of.Value.Uint64())
	}
	return int64(samples[0].Value.Uint64()), beside
}

// limitFor leaves room for garbage of at least half the live heap: with a limit
// near what is in use the collector would run all the time.
func limitFor(live, beside int64) int64 { return max(usualMemory, 4<<20+live/2*3+beside) }
