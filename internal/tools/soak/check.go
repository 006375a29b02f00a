//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// usable is the usable rule, written again from its description, so that the service's
// own view is not compared with itself.
const usable = `SELECT i.id::text FROM interviews AS i
	JOIN clients AS c ON c.id = i.client_id
	LEFT JOIN campaigns AS g ON g.id = i.campaign_id AND g.client_id = i.client_id
	WHERE c.slug = $1 AND i.status IN ('completed', 'analyzed') AND NOT i.is_test
		AND coalesce(i.duration_seconds, 60) >= 60 AND coalesce(i.engagement, '') <> 'disengaged'
		AND i.quality = 'passed' AND i.reportable AND i.client_safe
		AND (i.campaign_id IS NULL OR g.launch_status = 'live' AND g.active IS NOT FALSE)
	ORDER BY i.created_at DESC, i.id`

// check compares servers and tables every five seconds.
func (e *environment) check(ctx context.Context) {
	for ctx.Err() == nil {
		rest(ctx, 5*time.Second)
		if err := e.checkAll(ctx); err != nil {
			e.violation("comparing: %v", err)
		}
	}
}

// checkAll compares every client on every server with the tables, while writers and
// faults pause; readers go on.
func (e *environment) checkAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	e.comparing.Lock()
	defer e.comparing.Unlock()
	conn, err := e.pg.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, c := range e.clients {
		rows, err := conn.Query(ctx, usable, c.slug)
		if err != nil {
			return err
		}
		want, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for n := range e.servers {
			if err := e.compareClient(ctx, n, c, want); err != nil {
				e.violation("%s on server %d: %v", c.slug, n, err)
			}
			e.checks.Add(1)
		}
	}
	return nil
}

// compareClient compares a walk, the total and the charts with the ids in the tables.
func (e *environment) compareClient(ctx context.Context, n int, c client, want []string) error {
	key, err := e.key(ctx, c.slug)
	if err != nil {
		return err
	}
	server := e.server(n).URL
	pages, err := e.caller.Walk(ctx, server, "/interviews?limit=173", key) // no fault is injected now
	if err != nil {
		return err
	}
	var got []string
	for _, page := range pages {
		var rows []struct{ ID string }
		if err := json.Unmarshal([]byte(page), &rows); err != nil {
			return err
		}
		for _, row := range rows {
			got = append(got, row.ID)
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the walk has %d interviews, the tables %d, or another order", len(got), len(want))
	}
	var chart struct {
		Data struct {
			Total  int
			Rows   []struct{}
			Volume []struct{ Value int }
		}
		Meta struct {
			Total *int   `json:"measurement_total_count"`
			Mode  string `json:"measurement_mode"`
		}
	}
	a := e.get(ctx, n, "/analytics/interviews?date_from=2000-01-01&date_to=2100-01-01", key, c)
	if err := json.Unmarshal(a.Body, &chart); err != nil || a.Status != 200 {
		return fmt.Errorf("charts: status %d: %s (%w)", a.Status, a.Body, err)
	}
	if chart.Meta.Mode == "canonical" && (chart.Meta.Total == nil || *chart.Meta.Total != len(want)) {
		return fmt.Errorf("total %v, want %d", chart.Meta.Total, len(want))
	}
	sum := 0
	for _, point := range chart.Data.Volume {
		sum += point.Value
	}
	if chart.Data.Total != len(want) || len(chart.Data.Rows) != len(want) || sum != len(want) {
		return fmt.Errorf("charts: total %d, %d rows, volume %d; want %d", chart.Data.Total, len(chart.Data.Rows), sum, len(want))
	}
	return nil
}

// checkKeys compares every key's responses with the log: each request is counted, at
// most 600 are, and no two have the same number in the window.
func (e *environment) checkKeys(ctx context.Context) error {
	conn, err := e.pg.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for key, a := range e.accounts {
		var rows, span int
		if err := conn.QueryRow(ctx, `SELECT count(*), coalesce(max(l.seq) - min(l.seq) + 1, 0)
			FROM request_log AS l JOIN api_keys AS k ON k.id = l.key_id WHERE k.prefix = $1`, key[4:16]).Scan(&rows, &span); err != nil {
			return err
		}
		const limit = 600
		answered := a.sent - a.statuses[429] - a.statuses[503] - a.statuses[0]
		if rows != span || rows < answered || rows > limit || a.statuses[429] > 0 && rows != limit {
			e.violation("a key: %d rows, numbered over %d, statuses %v", rows, span, a.statuses)
		}
		for place, times := range a.remaining {
			if times > 1 {
				e.violation("a key: place %s was given %d times", place, times)
			}
		}
	}
	return nil
}
