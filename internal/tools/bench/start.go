package main

import (
	"context"
	"fmt"
	"time"
)

// measureStart is goal 15: the server with its embedded database, as a trial
// runs it, on a data directory that has been used before.
func (s *session) measureStart(ctx context.Context) error {
	s.logf("starting with a warm data directory, %d times", s.rounds+1)
	_ = s.admin.Close(ctx)
	s.admin = nil
	cluster := s.cluster
	s.cluster = nil
	if err := cluster.Close(ctx); err != nil {
		return err
	}
	starts := &series{name: "server with its database"}
	var ready, idle, database series
	for range s.rounds + 1 {
		v, err := s.startProduct(ctx, "trial", s.product, nil, "--data-dir", s.home)
		if err != nil {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
		starts.rounds = append(starts.rounds, sample{mean: v.readyAfter})
		idle.rounds = append(idle.rounds, sample{peak: memoryOf(v.pid(), "status", "VmRSS")})
		database.rounds = append(database.rounds, sample{peak: memoryOfTree(v.pid())})
		v.stop()
	}
	// The first one found what the benchmark left: another shared_buffers.
	ready.rounds, idle.rounds, database.rounds = starts.rounds[1:], idle.rounds[1:], database.rounds[1:]
	inMB := func(m sample) float64 { return float64(m.peak) / (1 << 20) }
	s.report.set("15a", ready.absolute(meanSeconds))
	s.report.set("15b", idle.absolute(inMB)).note = fmt.Sprintf(
		"the embedded PostgreSQL takes %.0f MB beside it, shared memory counted once", database.median(inMB))
	return nil
}

// memoryOfTree is what the processes below one take, each shared page counted
// by its share.
func memoryOfTree(pid int) int64 {
	var sum int64
	for _, child := range childrenOf(pid) {
		sum += memoryOf(child, "smaps_rollup", "Pss") + memoryOfTree(child)
	}
	return sum
}
