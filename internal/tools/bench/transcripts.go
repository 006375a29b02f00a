package main

import (
	"context"

	"github.com/clientintel/clientintel/internal/auth"
)

// measureTranscripts is goal 7: the largest pages there are. The server is a
// fresh one, so its peak is theirs.
func (s *session) measureTranscripts(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge, auth.ReadInterviewsMetadata, auth.ReadTranscripts, auth.ReadCustomExtraction)
	if err != nil {
		return err
	}
	defer g.stop()
	a := g.pages(200, manyConnections)
	a.minBytes = 100_000
	alone, err := s.pgbenchPages(pageScript(g.client, 200, true), fewConnections, manyConnections)
	if err != nil {
		return err
	}
	all, err := s.compare(ctx, "200 rows with transcripts", append([]workload{s.httpWorkload("server, 200 rows", a)}, alone...)...)
	if err != nil {
		return err
	}
	s.report.set("7a", all[0].ratioTo(best(rate, all[1:]...), rate), all...)
	s.report.set("7b", megabytes(memoryOf(g.service.pid(), "status", "VmHWM")))
	return nil
}

// megabytes is one measurement of memory.
func megabytes(bytes int64) ratio {
	mb := float64(bytes) / (1 << 20)
	return ratio{value: mb, low: mb, high: mb}
}
