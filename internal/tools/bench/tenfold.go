package main

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// tenfold is a request that is sent for a client and for one a tenth as large.
type tenfold struct {
	goal     string
	scopes   []auth.Scope
	requests func(*fixture) requests
	// perRow: the response grows with the client, and its time is divided by its rows.
	perRow bool
}

func tenfolds() []tenfold {
	path := func(text, contains string, connections int) func(*fixture) requests {
		return func(g *fixture) requests {
			return requests{service: g.service, keys: g.keys, connections: connections, paths: []string{text}, contains: contains}
		}
	}
	search := func(goal, text string) tenfold {
		return tenfold{goal: goal, scopes: []auth.Scope{auth.ReadCustomExtraction}, requests: path(searchFor(text), `"query":`, 1)}
	}
	from := spanFrom.AddDate(1, 0, 0)
	return []tenfold{
		{goal: "24_page", requests: func(g *fixture) requests { return g.pages(50, fewConnections) }},
		{goal: "24_cached", requests: func(g *fixture) requests { return g.pagesAt(g.positions[:min(100, len(g.positions))]) }},
		{goal: "24_first", requests: path(listPath+"?limit=50", pageCount(50), fewConnections)},
		{goal: "24_detail", requests: func(g *fixture) requests {
			a := g.pages(1, fewConnections)
			for i, p := range g.positions {
				a.paths[i] = listPath + "/" + p.ID.String()
			}
			return a
		}},
		{
			goal: "24_transcripts", scopes: []auth.Scope{auth.ReadInterviewsMetadata, auth.ReadTranscripts, auth.ReadCustomExtraction},
			requests: func(g *fixture) requests { return g.pages(200, fewConnections) },
		},
		{goal: "24_total", requests: path("/api/client/v1/campaigns?limit=1", pageCount(1), fewConnections)},
		{goal: "24_analytics", requests: path(analyticsPath+window(from, from.AddDate(0, 0, 30)), `"sentiment":`, 1), perRow: true},
		search("24_search_common", corpus.TermCommon),
		search("24_search_rare", corpus.TermRare),
		search("24_search_phrase", corpus.PhraseRare),
		search("24_search_scan", shortText),
	}
}

// measureTenfold is goal 24: what requests cost a client with ten times as many interviews.
func (s *session) measureTenfold(ctx context.Context) error {
	v, err := s.startServer(ctx, "server", s.product)
	if err != nil {
		return err
	}
	defer v.stop()
	for _, one := range tenfolds() {
		if !s.wants(one.goal) {
			continue
		}
		var clients []*client
		var workloads []workload
		for _, slug := range []string{clientLarge, clientTenth} {
			g, err := s.fixtureOn(ctx, v, slug, one.scopes...)
			if err != nil {
				return err
			}
			clients = append(clients, g.client)
			workloads = append(workloads, s.httpWorkload(one.goal+", "+slug, one.requests(g)))
		}
		all, err := s.compare(ctx, one.goal, workloads...)
		if err != nil {
			return err
		}
		q := all[0].ratioTo(all[1], meanSeconds)
		if one.perRow {
			q = q.dividedBy(float64(clients[0].usable) / float64(clients[1].usable))
		}
		s.report.set(one.goal, q, all...)
	}
	if !s.wants("24_walk") {
		return nil
	}
	return s.measureWalk(ctx, v)
}

// measureWalk is goal 24_walk: at huge scale the 50th, the 5,000th and the 100,000th page of 50.
func (s *session) measureWalk(ctx context.Context, v *serverProcess) error {
	const pages = 20 // of each
	g, err := s.fixtureOn(ctx, v, clientLarge)
	if err != nil {
		return err
	}
	walk := readPositions(s.positionsPath(clientLarge))
	if len(walk) < pages {
		return fmt.Errorf("the walk through %s has %d positions, fewer than %d", g.client.slug, len(walk), pages)
	}
	var workloads []workload
	for _, share := range []float64{1. / 2840, 1. / 28, 0.7} {
		at := min(int(share*float64(len(walk))), len(walk)-pages)
		workloads = append(workloads, s.httpWorkload(fmt.Sprintf("page %d of the walk", at*200/50+1), g.pagesAt(walk[at:at+pages])))
	}
	all, err := s.compare(ctx, "24_walk", workloads...)
	if err != nil {
		return err
	}
	worst := all[1].ratioTo(all[0], meanSeconds)
	if q := all[2].ratioTo(all[0], meanSeconds); q.value > worst.value {
		worst = q
	}
	s.report.set("24_walk", worst, all...)
	return nil
}
