package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/clientintel/clientintel/gen/db"
)

const manyConnections = 32

// pageScript is the page's SQL as the product runs it on a continuation page,
// at a position that differs from transaction to transaction.
func pageScript(c *client, rows int, transcripts bool) script {
	return script{
		prologue: randomInstant(c.positions),
		query:    db.ListInterviews,
		variables: arguments(db.ListInterviewsParams{
			ClientID: c.id, WithTranscripts: transcripts, WithCustomExtraction: transcripts,
			AfterID: c.positions[0].ID, FromCreatedAt: beginningOfTime, MaxRows: int32(rows) + 1,
		}, map[string]any{"AfterCreatedAt": instant}),
	}
}

// pgbenchPages are PostgreSQL alone with the page's SQL.
func (s *session) pgbenchPages(c script, connections ...int) ([]workload, error) {
	var workloads []workload
	for _, n := range connections {
		one, err := s.pgbenchWorkload(fmt.Sprintf("pgbench, %d connections", n), c, n)
		if err != nil {
			return nil, err
		}
		workloads = append(workloads, one)
	}
	return workloads, nil
}

// measurePage is goals 1, 2a, 3 and 13. Each is a comparison of its own, so that
// the workloads of a ratio run one right after the other.
func (s *session) measurePage(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	for _, part := range []struct {
		goal string
		run  func(context.Context, *fixture) error
	}{
		{"1", s.pageAgainstPostgreSQL},
		{"2a", s.pageAgainstBaseline},
		{"3", s.pageWithoutAdmission},
		{"13", s.pageByValidation},
	} {
		if !s.wants(part.goal) {
			continue
		}
		if err := part.run(ctx, g); err != nil {
			return err
		}
	}
	return s.pageAgainstOthers(ctx, g)
}

// page is the page of 50, asked of any server.
func (s *session) page(g *fixture, name string, v *serverProcess) workload {
	a := g.pages(50, manyConnections)
	a.service = v
	return s.httpWorkload(name, a)
}

func (s *session) pageAgainstPostgreSQL(ctx context.Context, g *fixture) error {
	alone, err := s.pgbenchPages(pageScript(g.client, 50, false), 1, 8, manyConnections)
	if err != nil {
		return err
	}
	all, err := s.compareLonger(ctx, "page of 50 and PostgreSQL alone", append([]workload{s.page(g, "server", g.service)}, alone...)...)
	if err != nil {
		return err
	}
	s.report.set("1", all[0].ratioTo(best(rate, all[1:]...), rate), all...)
	return nil
}

func (s *session) pageAgainstBaseline(ctx context.Context, g *fixture) error {
	baselineServer, err := s.startBaseline(ctx)
	if err != nil {
		return err
	}
	defer baselineServer.stop()
	theirs := g.pages(50, manyConnections)
	theirs.service, theirs.paths = baselineServer, baselinePaths(g.client, g.positions, 50)
	all, err := s.compareLonger(ctx, "page of 50 and the baseline server", s.page(g, "server", g.service), s.httpWorkload("baseline server", theirs))
	if err != nil {
		return err
	}
	s.report.set("2a", all[0].ratioTo(all[1], rate), all...)
	return nil
}

func (s *session) pageWithoutAdmission(ctx context.Context, g *fixture) error {
	v, err := s.startServer(ctx, "admission off", s.open, "CLIENTINTEL_BENCHMARK_DISABLED=admission")
	if err != nil {
		return err
	}
	defer v.stop()
	open := s.page(g, "server, admission off", v)
	// It asks the database once for each key.
	if err := s.useEachKey(ctx, open, g.keys); err != nil {
		return err
	}
	all, err := s.compareLonger(ctx, "page of 50 and admission", s.page(g, "server", g.service), open)
	if err != nil {
		return err
	}
	s.report.set("3", all[0].ratioTo(all[1], rate), all...)
	return nil
}

func (s *session) pageByValidation(ctx context.Context, g *fixture) error {
	workloads := []workload{s.page(g, "server", g.service)}
	for _, mode := range []string{"off", "enforce"} {
		v, err := s.startServer(ctx, "validation "+mode, s.product, "CLIENTINTEL_RESPONSE_VALIDATION="+mode)
		if err != nil {
			return err
		}
		defer v.stop()
		workloads = append(workloads, s.page(g, "server, validation "+mode, v))
	}
	all, err := s.compareLonger(ctx, "page of 50 and validation", workloads...)
	if err != nil {
		return err
	}
	s.report.set("13", all[0].ratioTo(all[1], rate), all[0], all[1])
	s.report.set("13_enforce", all[2].ratioTo(all[1], rate), all[2])
	return nil
}

// pageAgainstOthers is for developers: builds and settings compared with each other.
func (s *session) pageAgainstOthers(ctx context.Context, g *fixture) error {
	if len(s.against) == 0 {
		return nil
	}
	others, stop, err := s.variants(ctx)
	if err != nil {
		return err
	}
	defer stop()
	workloads := []workload{s.page(g, "server", g.service)}
	for _, v := range others {
		workloads = append(workloads, s.page(g, "server, "+v.name, v))
	}
	all, err := s.compare(ctx, "page of 50 and the others", workloads...)
	if err != nil {
		return err
	}
	s.report.set("others", all[0].ratioTo(all[1], rate), all...)
	return nil
}

// variants starts the other servers that were named.
func (s *session) variants(ctx context.Context) ([]*serverProcess, func(), error) {
	var all []*serverProcess
	stop := func() {
		for _, v := range all {
			v.stop()
		}
	}
	for _, other := range s.against {
		binary := cmp.Or(other.binary, s.product)
		if other.binary == "" && strings.Contains(strings.Join(other.settings, " "), "CLIENTINTEL_BENCHMARK_") {
			binary = s.open // the build that has switches
		}
		v, err := s.startServer(ctx, other.name, binary, other.settings...)
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, v)
	}
	return all, stop, nil
}

// useEachKey runs a workload until each key has had its turn.
func (s *session) useEachKey(ctx context.Context, one workload, keys *keyPool) error {
	for asked := 0; asked < len(keys.keys); {
		took, err := one.run(ctx, s.duration)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		asked += took.requests
	}
	return nil
}

// measureOneConnection is goal 2b: one connection.
func (s *session) measureOneConnection(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	baselineServer, err := s.startBaseline(ctx)
	if err != nil {
		return err
	}
	defer baselineServer.stop()
	ours, theirs := g.pages(50, 1), g.pages(50, 1)
	theirs.service, theirs.paths = baselineServer, baselinePaths(g.client, g.positions, 50)
	workloads := []workload{s.httpWorkload("server, 1 connection", ours), s.httpWorkload("baseline server, 1 connection", theirs)}
	others, stop, err := s.variants(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, v := range others {
		a := g.pages(50, 1)
		a.service = v
		workloads = append(workloads, s.httpWorkload("server, "+v.name+", 1 connection", a))
	}
	all, err := s.compare(ctx, "page of 50, one connection",
		workloads...)
	if err != nil {
		return err
	}
	s.report.set("2b", all[0].ratioTo(all[1], rate), all...)
	return nil
}
