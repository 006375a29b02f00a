//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// fewConnections keep two cores busy without a queue.
const fewConnections = 8

// route is one kind of request for the large client. Its goal is of the p99 in milliseconds
// at one connection.
type route struct {
	name        string
	connections int
	p99         float64
	requests    func(context.Context, *target, int) (requests, error)
}

func routes() []route {
	one := func(contains, path string) func(context.Context, *target, int) (requests, error) {
		return func(_ context.Context, t *target, n int) (requests, error) { return t.get(n, contains, path), nil }
	}
	search := func(q string) func(context.Context, *target, int) (requests, error) {
		return one(`"query":`, "/api/client/v1/intelligence/search?q="+url.QueryEscape(q))
	}
	window := func(from, until time.Time) string {
		return "/api/client/v1/analytics/interviews?date_from=" + from.Format(time.DateOnly) + "&date_to=" + until.Format(time.DateOnly)
	}
	return []route{
		{"one interview", fewConnections, 0, details},
		{"campaigns", fewConnections, 0, one(`"count":20,`, "/api/client/v1/campaigns?limit=20")},
		{"synthesis", fewConnections, 0, one(`"count":50,`, "/api/client/v1/synthesis?limit=50")},
		{"200 interviews with transcripts", fewConnections, 0, func(ctx context.Context, t *target, n int) (requests, error) { return t.pages(ctx, 200, n) }},
		{"search, common word", 1, 25, search(corpus.TermCommon)},
		{"search, rare word", 1, 60, search(corpus.TermRare)},
		{"search, absent word", 1, 60, search("qqxyzzy")},
		{"search, rare phrase of common words", 1, 400, search(corpus.PhraseRare)},
		{"search, two letters that nothing has", 1, 0, search("zo")},
		{"analytics of 30 days", 1, 0, one(`"campaignSlug"`, window(spanFrom.AddDate(1, 0, 0), spanFrom.AddDate(1, 0, 29)))},
		{"MCP, a page of 50", fewConnections, 0, messages},
	}
}

// measureRoutes measures the other routes, in turn with the build from before.
func (s *session) measureRoutes(ctx context.Context) error {
	servers, stop, err := s.startBuilds(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, route := range routes() {
		var workloads []workload
		for _, v := range servers {
			t, err := s.target(ctx, v, []string{clientLarge}, auth.All()...)
			if err != nil {
				return err
			}
			r, err := route.requests(ctx, t, route.connections)
			if err != nil {
				return err
			}
			workloads = append(workloads, r.workload(v.name))
		}
		all, err := s.compare(ctx, workloads...)
		if err != nil {
			return fmt.Errorf("%s: %w", route.name, err)
		}
		s.report(route.name+", p99", all[0].figure(p99Millis), "ms", goal{atMost: route.p99}, all...)
		if len(all) == 2 {
			s.report(route.name+" ÷ before", all[0].dividedBy(all[1], rate), "", goal{})
		}
	}
	return nil
}

func details(ctx context.Context, t *target, connections int) (requests, error) {
	r, err := t.pages(ctx, 50, connections)
	if err != nil {
		return r, err
	}
	var paths []string
	for _, p := range t.clients[0].positions {
		paths = append(paths, listPath+"/"+p.ID.String())
	}
	return t.get(connections, `"interview":`, paths...), nil
}

// messages are tool calls that read pages.
func messages(ctx context.Context, t *target, connections int) (requests, error) {
	r, err := t.pages(ctx, 50, connections)
	if err != nil {
		return r, err
	}
	var calls []string
	for i, p := range t.clients[0].positions {
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": map[string]any{
			"name": "list_interviews", "arguments": map[string]any{"limit": 50, "starting_after": p.Cursor},
		}})
		if err != nil {
			return r, err
		}
		calls = append(calls, string(text))
	}
	r = t.get(connections, `"structuredContent":`, calls...)
	r.post = "/api/client/v1/mcp"
	return r, nil
}
