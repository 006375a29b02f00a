package main

import (
	"context"
	"fmt"
	"time"
)

// statusesWritten is longer than the server takes to write the last request statuses.
const statusesWritten = 2500 * time.Millisecond

// measureWAL is goal 6: the bytes of WAL that a request's log row and its status take.
// PostgreSQL writes a page whole at its first change after a checkpoint. That depends
// on checkpoints and not on requests, so it is switched off for the measurement.
func (s *session) measureWAL(ctx context.Context) error {
	if err := s.configure(ctx, "full_page_writes", "off"); err != nil {
		return err
	}
	defer func() { _ = s.configure(context.WithoutCancel(ctx), "full_page_writes", "on") }()
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	one := s.httpWorkload("server", g.pages(50, manyConnections))
	written := workload{"server, no full-page images", func(ctx context.Context, d time.Duration) (sample, error) {
		before, err := walPosition(ctx, s.admin)
		if err != nil {
			return sample{}, err
		}
		took, err := one.run(ctx, d)
		if err != nil {
			return sample{}, err
		}
		select {
		case <-time.After(statusesWritten):
		case <-ctx.Done():
			return sample{}, ctx.Err()
		}
		after, err := walPosition(ctx, s.admin)
		took.wal = (after - before) / float64(took.requests)
		return took, err
	}}
	all, err := s.compare(ctx, "WAL", written)
	if err != nil {
		return err
	}
	s.report.set("6", all[0].absolute(func(m sample) float64 { return m.wal }), all[0])
	return nil
}

// configure changes a setting of the running PostgreSQL.
func (s *session) configure(ctx context.Context, name, value string) error {
	for _, statement := range []string{fmt.Sprintf("ALTER SYSTEM SET %s = %s", name, value), "SELECT pg_reload_conf()"} {
		if _, err := s.admin.Exec(ctx, statement); err != nil {
			return fmt.Errorf("setting %s: %w", name, err)
		}
	}
	// Each process reads the setting a little later.
	time.Sleep(200 * time.Millisecond)
	return nil
}
