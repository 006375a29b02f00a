//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/cluster"
)

// measureMemory measures new servers: at rest, under the largest pages, and under a
// stream of a client's whole history.
func (s *session) measureMemory(ctx context.Context) error {
	for _, load := range []struct {
		name     string
		maximum  float64
		requests func(*target) (requests, error)
	}{
		{"at rest", 30, nil},
		{"peak, 32 connections read 200 rows with transcripts", 64, func(t *target) (requests, error) { return t.pages(ctx, 200, 32) }},
		{"peak, analytics of everything", 96, func(t *target) (requests, error) {
			return t.get(1, `"campaignSlug"`, "/api/client/v1/analytics/interviews?date_from="+spanFrom.Format(time.DateOnly)), nil
		}},
	} {
		servers, stop, err := s.startBuilds(ctx)
		if err != nil {
			return err
		}
		for _, v := range servers {
			time.Sleep(time.Second)
			megabytes := cluster.Memory(v.pid, "VmRSS:")
			if load.requests != nil {
				if megabytes, err = s.peakUnder(ctx, v, load.requests); err != nil {
					stop()
					return err
				}
			}
			s.report(fmt.Sprintf("memory %s, %s", load.name, v.name), figure{megabytes, megabytes, megabytes}, "MB", goal{atMost: load.maximum})
		}
		stop()
	}
	return nil
}

func (s *session) peakUnder(ctx context.Context, v *server, load func(*target) (requests, error)) (float64, error) {
	t, err := s.target(ctx, v, []string{clientLarge}, auth.All()...)
	if err != nil {
		return 0, err
	}
	r, err := load(t)
	if err != nil {
		return 0, err
	}
	_, err = r.workload(v.name).run(ctx, 2*s.duration)
	return cluster.Memory(v.pid, "VmHWM:"), err
}
