package app

import (
	"context"
	"os"
	"runtime/debug"
)

const (
	// memoryLimit is where the garbage of large answers is collected before it takes more:
	// they and what else the server holds stay below.
	memoryLimit = 180 << 20
	// memoryOfConnection raises the limit with each connection, by no more than
	// maxMemoryOfConnections: what its request holds while it waits is no garbage, and
	// near the limit the collector would run without end to find none.
	memoryOfConnection     = 8 << 10
	maxMemoryOfConnections = 40 << 20
)

// limitMemory collects garbage more often when the memory nears memoryLimit, which it
// raises with the connections that are open, until ctx is done. GOMEMLIMIT disables it.
func limitMemory(ctx context.Context, connections func() int) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	before := debug.SetMemoryLimit(memoryLimit)
	defer debug.SetMemoryLimit(before)
	each(ctx, lookEvery, func() { debug.SetMemoryLimit(limitWith(connections())) })
}

// limitWith is the limit with so many connections, in steps of a MiB: the runtime does
// nothing where it stays the same.
func limitWith(connections int) int64 {
	more := min(int64(connections)*memoryOfConnection, maxMemoryOfConnections)
	return memoryLimit + more>>20<<20
}
