//go:build linux

package main

import (
	"context"
	"fmt"
)

// pageGoals are those of a page of 50 interviews by the number of connections: requests a
// second ÷ those of the build from before, and of the baseline server.
var pageGoals = []struct {
	connections      int
	before, baseline float64
}{{1, 0.80, 1.3}, {8, 0.90, 1.4}, {32, 0.75, 1.6}}

const maxSpread = 3 // p99 ÷ p50

// measurePages compares pages of 50 of one client, and of all clients in turn.
func (s *session) measurePages(ctx context.Context) error {
	servers, stop, err := s.startBuilds(ctx)
	if err != nil {
		return err
	}
	defer stop()
	baselineServer, err := s.startBaseline(ctx)
	if err != nil {
		return err
	}
	defer baselineServer.stop()
	servers = append(servers, baselineServer) // last: it is asked for the positions of the product's walk

	var mixed []string
	for _, c := range s.scale.clients() {
		mixed = append(mixed, c.Slug)
	}
	for _, slugs := range [][]string{{clientLarge}, mixed} {
		title := "page, one client"
		if len(slugs) > 1 {
			title = fmt.Sprintf("page, %d clients", len(slugs))
		}
		var targets []*target
		for _, v := range servers {
			t, err := s.target(ctx, v, slugs)
			if err != nil {
				return err
			}
			targets = append(targets, t)
		}
		for _, g := range pageGoals {
			var workloads []workload
			for _, t := range targets {
				r, err := t.pages(ctx, 50, g.connections)
				if err != nil {
					return err
				}
				workloads = append(workloads, r.workload(t.server.name))
			}
			all, err := s.compare(ctx, workloads...)
			if err != nil {
				return err
			}
			s.reportPages(fmt.Sprintf("%s, %d connections", title, g.connections), g.before, g.baseline, all)
		}
	}
	return nil
}

// reportPages reports this build, the one from before if there is one, and the baseline
// server, in this order.
func (s *session) reportPages(name string, before, baseline float64, all []*series) {
	now, baselineServer := all[0], all[len(all)-1]
	s.report(name+", p99 ÷ p50", now.figure(spread), "", goal{atMost: maxSpread}, all...)
	if s.before != nil {
		s.report(name+" ÷ before", now.dividedBy(all[1], rate), "", goal{atLeast: before})
		s.report(name+" ÷ before, CPU time", now.dividedBy(all[1], cpuTime), "", goal{})
	}
	s.report(name+" ÷ baseline server", now.dividedBy(baselineServer, rate), "", goal{atLeast: baseline})
}
