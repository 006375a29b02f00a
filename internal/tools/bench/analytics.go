package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/clientintel/clientintel/gen/db"
)

const analyticsPath = "/api/client/v1/analytics/interviews"

// measureAnalytics is goal 8.
func (s *session) measureAnalytics(ctx context.Context) error {
	if err := s.measureMonth(ctx); err != nil {
		return err
	}
	return s.measureHistory(ctx)
}

// measureMonth is goal 8a: 30 days, one request after another.
func (s *session) measureMonth(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	from := spanFrom.AddDate(1, 0, 0)
	until := from.AddDate(0, 0, 30)
	var rows int
	if err := s.admin.QueryRow(ctx, `SELECT count(*) FROM usable_interviews
		WHERE client_id = $1 AND created_at >= $2 AND created_at < $3`, g.client.id, from, until).Scan(&rows); err != nil {
		return err
	}
	a := g.pages(rows, 1)
	a.paths = []string{analyticsPath + window(from, until)}
	alone, err := s.pgbenchWorkload(fmt.Sprintf("pgbench, %d rows", rows), script{
		query: db.ListDataPoints,
		variables: arguments(db.ListDataPointsParams{
			ClientID: g.client.id, FromCreatedAt: from, UntilCreatedAt: until,
		}, nil),
	}, 1)
	if err != nil {
		return err
	}
	all, err := s.compare(ctx, "analytics of 30 days", s.httpWorkload("server, 30 days", a), alone)
	if err != nil {
		return err
	}
	s.report.set("8a", all[0].ratioTo(all[1], meanSeconds), all...)
	return nil
}

// measureHistory is goal 8b: everything the client has, streamed by a fresh server.
func (s *session) measureHistory(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	path := analyticsPath + window(spanFrom, spanTo)
	body, err := get(ctx, g.service, g.keys.keys[0], path)
	if err != nil {
		return err
	}
	g.keys.used++
	if n := bytes.Count(body, []byte(`"campaignSlug"`)); n != g.client.usable || !json.Valid(body) {
		return fmt.Errorf("the full history has %d rows of %d, valid JSON: %v", n, g.client.usable, json.Valid(body))
	}
	a := g.pages(50, 1)
	a.paths, a.contains, a.minBytes = []string{path}, "", int64(len(body)-len(body)/100)
	all, err := s.compare(ctx, "analytics of everything", s.httpWorkload(fmt.Sprintf("server, %d rows", g.client.usable), a))
	if err != nil {
		return err
	}
	s.report.set("8b", megabytes(memoryOf(g.service.pid(), "status", "VmHWM")), all...)
	return nil
}

// window spells days from one up to, not including, another.
func window(from, until time.Time) string {
	const day = "2006-01-02"
	return "?date_from=" + from.Format(day) + "&date_to=" + until.AddDate(0, 0, -1).Format(day)
}
