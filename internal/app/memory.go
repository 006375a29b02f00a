package app

import (
	"context"
	"os"
	"runtime/debug"
	"time"
)

const (
	// memoryLimit is Go's memory limit: near it garbage of large responses is collected
	// more often.
	memoryLimit = 180 << 20
	// memoryOfConnection raises the limit per open connection, up to
	// maxMemoryOfConnections: what waiting requests hold is not garbage, and near the limit
	// the collector would run continuously.
	memoryOfConnection     = 8 << 10
	maxMemoryOfConnections = 40 << 20
	// memoryInterval is how often the limit follows the connections.
	memoryInterval = 100 * time.Millisecond
)

// limitMemory sets Go's memory limit to memoryLimit, raised for the open connections, until
// ctx is done. GOMEMLIMIT disables it.
func limitMemory(ctx context.Context, connections func() int) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	before := debug.SetMemoryLimit(memoryLimit)
	defer debug.SetMemoryLimit(before)
	each(ctx, memoryInterval, func() { debug.SetMemoryLimit(limitWith(connections())) })
}

// limitWith is the limit with so many connections, in steps of a MiB: an unchanged limit
// costs the runtime nothing.
func limitWith(connections int) int64 {
	more := min(int64(connections)*memoryOfConnection, maxMemoryOfConnections)
	return memoryLimit + more>>20<<20
}
