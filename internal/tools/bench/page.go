//go:build linux

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// pageGoals are those of a page of 50 interviews by the number of connections: requests a
// second ÷ those of the other build.
var pageGoals = []struct {
	connections int
	before      float64
}{{1, 0.80}, {8, 0.90}, {32, 0.75}}

// measurePages compares pages of 50 of one client, and of all clients in turn.
func (s *session) measurePages(ctx context.Context) error {
	servers, stop, err := s.startBuilds(ctx)
	if err != nil {
		return err
	}
	defer stop()
	mixed := slices.DeleteFunc(slices.Sorted(maps.Keys(s.now.clients)), func(slug string) bool { return slug == clientTied })
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
			s.reportPages(fmt.Sprintf("%s, %d connections", title, g.connections), g.before, all)
		}
	}
	return nil
}

// reportPages reports this build and, if there is one, the other.
func (s *session) reportPages(name string, before float64, all []*series) {
	now := all[0]
	s.report(name+", p99 ÷ p50", now.figure(spread), "", goal{atMost: 3}, all...)
	if s.before != nil {
		s.report(name+" ÷ before", now.dividedBy(all[1], rate), "", goal{atLeast: before})
		s.report(name+" ÷ before, CPU time", now.dividedBy(all[1], cpuTime), "", goal{})
	}
}
