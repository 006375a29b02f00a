//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/clientintel/clientintel/internal/measurement"
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

// measureCanonical compares pages with totals with the same pages without, and first pages,
// which name the members of their basis, with others.
func (s *session) measureCanonical(ctx context.Context) error {
	v, err := s.start(ctx, "now", s.now)
	if err != nil {
		return err
	}
	defer v.stop()
	t, err := s.target(ctx, v, []string{clientMembers})
	if err != nil {
		return err
	}
	page, err := t.pages(ctx, 50, fewConnections)
	if err != nil {
		return err
	}
	defer func() { _ = s.switchMode(context.WithoutCancel(ctx), t.clients[0], measurement.Canonical) }()
	first := t.get(fewConnections, fmt.Sprintf(`"source_count":%d`, maxBasis), listPath+"?limit=50")
	in := func(mode measurement.Mode, name string, r requests) workload {
		w := r.workload(name)
		return workload{w.name, func(ctx context.Context, d time.Duration) (sample, error) {
			if err := s.switchMode(ctx, t.clients[0], mode); err != nil {
				return sample{}, err
			}
			return w.run(ctx, d)
		}}
	}
	all, err := s.compare(ctx, in(measurement.Legacy, "a page of a legacy client", page),
		in(measurement.Canonical, "a page of a canonical client", page),
		in(measurement.Canonical, "a first page with 9,999 members", first))
	if err != nil {
		return err
	}
	s.report("page, canonical ÷ legacy client", all[1].dividedBy(all[0], rate), "", goal{atLeast: 0.85}, all...)
	s.report("first page with a basis of 9,999 ids ÷ another page", all[2].dividedBy(all[1], rate), "", goal{})
	return nil
}

// switchMode does what a cutover does once it has proven the count.
func (s *session) switchMode(ctx context.Context, c *client, mode measurement.Mode) error {
	_, err := s.now.admin.Exec(ctx, `UPDATE clients
		SET measurement_mode = $2, measurement_contract_version = CASE WHEN $2 = 'canonical' THEN $3 END
		WHERE id = $1`, c.id, string(mode), measurement.ContractVersion)
	return err
}
