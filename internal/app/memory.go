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

// MemoryLimit is where garbage is collected more often.
type MemoryLimit struct{ before int64 }

// LimitMemory collects garbage more often when the memory nears memoryLimit. It returns
// nil where GOMEMLIMIT disables it.
func LimitMemory() *MemoryLimit {
	if os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return &MemoryLimit{before: debug.SetMemoryLimit(memoryLimit)}
}

// Restore restores the limit from before.
func (m *MemoryLimit) Restore() {
	if m != nil {
		debug.SetMemoryLimit(m.before)
	}
}

// RaiseWith raises the limit with the connections that are open, until ctx is done.
func (m *MemoryLimit) RaiseWith(ctx context.Context, connections func() int) {
	if m != nil {
		each(ctx, lookEvery, func() { debug.SetMemoryLimit(limitWith(connections())) })
	}
}

// limitWith is the limit with so many connections, in steps of a MiB: the runtime does
// nothing where it stays the same.
func limitWith(connections int) int64 {
	more := min(int64(connections)*memoryOfConnection, maxMemoryOfConnections)
	return memoryLimit + more>>20<<20
}
