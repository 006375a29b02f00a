package main

import (
	"context"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// measureDocuments is goals 21 and 22: stored documents, which the server passes on.
func (s *session) measureDocuments(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	pages := g.pages(50, manyConnections)
	pages.paths = []string{"/api/client/v1/synthesis?limit=50"}
	details := g.pages(50, manyConnections)
	details.paths, details.contains = nil, `"count":1,`
	for _, p := range g.positions {
		details.paths = append(details.paths, listPath+"/"+p.ID.String())
	}
	for _, part := range []struct {
		goal, name string
		pages      requests
		rows       script
	}{
		{"21", "50 synthesis documents", pages, script{query: db.ListSynthesisDocuments, variables: arguments(db.ListSynthesisDocumentsParams{
			ClientID: g.client.id, AfterRefreshedKey: timewindow.Always().Until, AfterUpdatedAt: beginningOfTime, AfterID: uuid.Max,
			UpdatedSince: beginningOfTime, MaxRows: 51,
		}, nil)}},
		{"22", "one interview", details, script{query: db.GetInterview, variables: arguments(db.GetInterviewParams{
			ClientID: g.client.id, ID: g.positions[0].ID,
		}, nil)}},
	} {
		if !s.wants(part.goal) {
			continue
		}
		alone, err := s.pgbenchPages(part.rows, fewConnections, manyConnections)
		if err != nil {
			return err
		}
		workloads := []workload{s.httpWorkload("server, "+part.name, part.pages)}
		others, stop, err := s.variants(ctx)
		if err != nil {
			return err
		}
		defer stop()
		for _, v := range others {
			theirs := part.pages
			theirs.service = v
			workloads = append(workloads, s.httpWorkload(v.name+", "+part.name, theirs))
		}
		all, err := s.compare(ctx, part.name, append(alone, workloads...)...)
		if err != nil {
			return err
		}
		s.report.set(part.goal, all[2].ratioTo(best(rate, all[:2]...), rate), all...)
	}
	return nil
}
