package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// twin is a tool call and the REST request that reads the same rows.
type twin struct {
	name, tool, path string
	queries          []url.Values
	contains         string
}

// twins are those of goal 23.
func twins(g *fixture) []twin {
	interviews := func(limit string) []url.Values {
		all := make([]url.Values, len(g.positions))
		for i, p := range g.positions {
			all[i] = url.Values{"limit": {limit}, "starting_after": {p.Cursor}}
		}
		return all
	}
	return []twin{
		{"page", "list_interviews", listPath, interviews("50"), pageCount(50)},
		{"one", "list_interviews", listPath, interviews("1"), pageCount(1)},
		{"campaigns", "list_campaigns", "/api/client/v1/campaigns", []url.Values{{"limit": {"20"}}}, pageCount(20)},
	}
}

// paths are the REST requests.
func (t twin) paths() []string {
	all := make([]string, len(t.queries))
	for i, q := range t.queries {
		all[i] = t.path + "?" + q.Encode()
	}
	return all
}

// messages are the tool calls.
func (t twin) messages() []string {
	all := make([]string, len(t.queries))
	for i, q := range t.queries {
		arguments := map[string]any{}
		for name := range q {
			arguments[name] = q.Get(name)
		}
		arguments["limit"] = json.Number(q.Get("limit"))
		text, _ := json.Marshal(map[string]any{ // texts and numbers
			"jsonrpc": "2.0", "id": i, "method": "tools/call",
			"params": map[string]any{"name": t.tool, "arguments": arguments},
		})
		all[i] = string(text)
	}
	return all
}

// measureTools is goal 23: a tool call and its twin take turns on one server.
func (s *session) measureTools(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	others, stop, err := s.variants(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, n := range []int{1, fewConnections} {
		for _, t := range twins(g) {
			key := fmt.Sprintf("23_%d_%s", n, t.name)
			if !s.wants(key) {
				continue
			}
			rest := requests{service: g.service, keys: g.keys, paths: t.paths(), connections: n, contains: t.contains}
			workloads := []workload{s.httpWorkload(t.path+"?limit="+t.queries[0].Get("limit"), rest)}
			for _, service := range append([]*serverProcess{g.service}, others...) {
				call := rest
				call.service, call.paths, call.post = service, t.messages(), "/api/client/v1/mcp"
				workloads = append(workloads, s.httpWorkload(service.name+", "+t.tool, call))
			}
			all, err := s.compare(ctx, fmt.Sprintf("%s and its tool, %d connections", t.name, n), workloads...)
			if err != nil {
				return err
			}
			s.report.set(key, all[1].ratioTo(all[0], cpuTime), all...)
		}
	}
	return nil
}

// cpuTime is the server's and the database's, in seconds.
func cpuTime(m sample) float64 { return (m.server + m.database).Seconds() }
