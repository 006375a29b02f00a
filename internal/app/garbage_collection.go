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
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		metrics.Read(live)
		debug.SetMemoryLimit(limitFor(int64(live[0].Value.Uint64())))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// limitFor leaves room for garbage of at least half the live heap: with a limit
// near the live heap the collector would run all the time.
func limitFor(live int64) int64 { return max(usualMemory, 4<<20+live/2*3) }
