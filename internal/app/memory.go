package app

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// growth is how far garbage may grow, in percent of what is alive, while that
	// is little: collecting the few megabytes of a quiet server is a tenth of its
	// work.
	growth = 400
	// ordinary is the memory that the process keeps to while it can.
	ordinary = 30 << 20
)

// keepMemory trades memory for work up to the ordinary, and beyond that collects
// as Go does by default. An operator's GOGC or GOMEMLIMIT goes before.
func keepMemory(ctx context.Context) {
	percent := debug.SetGCPercent(growth)
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

// limitFor leaves room for garbage, half of what is alive at least: a limit near
// what is alive would have the collector run all the time.
func limitFor(live int64) int64 { return max(ordinary, 4<<20+live/2*3) }
