//go:build linux

package main

import (
	"context"
	"fmt"
)

// fewConnections keep two cores busy without a queue.
const fewConnections = 8

// measureGrowth compares pages of a client with those of a smaller one, and pages among
// interviews of one time with others: neither should matter.
func (s *session) measureGrowth(ctx context.Context) error {
	v, err := s.start(ctx, "now", s.now)
	if err != nil {
		return err
	}
	defer v.stop()
	var workloads []workload
	for _, slug := range []string{clientTen, clientLarge, clientSecond, clientTied} {
		t, err := s.target(ctx, v, []string{slug})
		if err != nil {
			return err
		}
		r, err := t.pages(ctx, 50, fewConnections)
		if err != nil {
			return err
		}
		workloads = append(workloads, r.workload(fmt.Sprintf("%s, %d usable interviews", slug, t.clients[0].usable)))
	}
	all, err := s.compare(ctx, workloads...)
	if err != nil {
		return err
	}
	s.report("page time, large ÷ ten", all[1].dividedBy(all[0], meanSeconds), "", goal{atMost: 1.3}, all[:2]...)
	s.report("page time, all created_at equal ÷ all different", all[3].dividedBy(all[2], meanSeconds), "", goal{atMost: 1.2}, all[2:]...)
	return nil
}
