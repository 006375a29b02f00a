package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/db"
)

const manyConnections = 32

// pageScript is the page's SQL as the product runs it on a continuation page,
// at a place that differs from transaction to transaction.
func pageScript(g *stage, rows int, transcripts bool) script {
	newest, oldest := g.places[0].CreatedAt, g.places[len(g.places)-1].CreatedAt
	// A literal's colons would be variables.
	at := sqlExpression("to_timestamp(:us / 1000000.0)")
	return script{
		prologue: fmt.Sprintf("\\set us random(%d, %d)\n", oldest.UnixMicro(), newest.UnixMicro()),
		query:    db.ListInterviews,
		variables: arguments(db.ListInterviewsParams{
			ClientID: g.brand.id, WithTranscripts: transcripts, WithCustomExtraction: transcripts,
			AfterID: g.places[0].ID, FromCreatedAt: always, MaxRows: int32(rows) + 1,
		}, map[string]any{"AfterCreatedAt": at}),
	}
}

// pageSides are PostgreSQL alone with the page's SQL.
func (s *session) pageSides(c script, connections ...int) ([]side, error) {
	var sides []side
	for _, n := range connections {
		one, err := s.underPgbench(fmt.Sprintf("pgbench, %d connections", n), c, n)
		if err != nil {
			return nil, err
		}
		sides = append(sides, one)
	}
	return sides, nil
}

// measurePage is goals 1, 2a, 3 and 13. Each is a contest of its own, so that
// the sides of a ratio run one right after the other.
func (s *session) measurePage(ctx context.Context) error {
	g, err := s.begin(ctx, brandLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	for _, part := range []struct {
		goal string
		run  func(context.Context, *stage) error
	}{
		{"1", s.pageAgainstPostgreSQL},
		{"2", s.pageAgainstPlain},
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
func (s *session) page(g *stage, name string, v *service) side {
	a := g.pages(50, manyConnections)
	a.service = v
	return s.overHTTP(name, a)
}

func (s *session) pageAgainstPostgreSQL(ctx context.Context, g *stage) error {
	alone, err := s.pageSides(pageScript(g, 50, false), 1, 8, manyConnections)
	if err != nil {
		return err
	}
	all, err := s.longContest(ctx, "page of 50 and PostgreSQL alone", append([]side{s.page(g, "server", g.service)}, alone...)...)
	if err != nil {
		return err
	}
	s.report.set("1", all[0].over(best(rate, all[1:]...), rate), all...)
	return nil
}

func (s *session) pageAgainstPlain(ctx context.Context, g *stage) error {
	plain, err := s.startPlain(ctx)
	if err != nil {
		return err
	}
	defer plain.stop()
	theirs := g.pages(50, manyConnections)
	theirs.service, theirs.paths = plain, plainPaths(g.brand, g.places, 50)
	all, err := s.longContest(ctx, "page of 50 and the plain server", s.page(g, "server", g.service), s.overHTTP("plain server", theirs))
	if err != nil {
		return err
	}
	s.report.set("2a", all[0].over(all[1], rate), all...)
	return nil
}

func (s *session) pageWithoutAdmission(ctx context.Context, g *stage) error {
	v, err := s.startServer(ctx, "admission off", s.open, "CLIENTINTEL_BENCHMARK_ADMISSION=off")
	if err != nil {
		return err
	}
	defer v.stop()
	open := s.page(g, "server, admission off", v)
	// It asks the database once for each key.
	if err := s.askAll(ctx, open, g.keys); err != nil {
		return err
	}
	all, err := s.longContest(ctx, "page of 50 and admission", s.page(g, "server", g.service), open)
	if err != nil {
		return err
	}
	s.report.set("3", all[0].over(all[1], rate), all...)
	return nil
}

func (s *session) pageByValidation(ctx context.Context, g *stage) error {
	sides := []side{s.page(g, "server", g.service)}
	for _, mode := range []string{"off", "enforce"} {
		v, err := s.startServer(ctx, "validation "+mode, s.product, "CLIENTINTEL_RESPONSE_VALIDATION="+mode)
		if err != nil {
			return err
		}
		defer v.stop()
		sides = append(sides, s.page(g, "server, validation "+mode, v))
	}
	all, err := s.longContest(ctx, "page of 50 and validation", sides...)
	if err != nil {
		return err
	}
	s.report.set("13", all[0].over(all[1], rate), all[0], all[1])
	s.report.set("13_enforce", all[2].over(all[1], rate), all[2])
	return nil
}

// pageAgainstOthers is for developers: builds and settings side by side.
func (s *session) pageAgainstOthers(ctx context.Context, g *stage) error {
	if len(s.against) == 0 {
		return nil
	}
	others, stop, err := s.variants(ctx)
	if err != nil {
		return err
	}
	defer stop()
	sides := []side{s.page(g, "server", g.service)}
	for _, v := range others {
		sides = append(sides, s.page(g, "server, "+v.name, v))
	}
	all, err := s.contest(ctx, "page of 50 and the others", sides...)
	if err != nil {
		return err
	}
	s.report.set("others", all[0].over(all[1], rate), all...)
	return nil
}

// variants starts the other servers that were named.
func (s *session) variants(ctx context.Context) ([]*service, func(), error) {
	var all []*service
	stop := func() {
		for _, v := range all {
			v.stop()
		}
	}
	for _, other := range s.against {
		binary := cmp.Or(other.binary, s.product)
		v, err := s.startServer(ctx, other.name, binary, other.settings...)
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, v)
	}
	return all, stop, nil
}

// askAll runs a side until each key has had its turn.
func (s *session) askAll(ctx context.Context, one side, keys *ring) error {
	for asked := 0; asked < len(keys.keys); {
		took, err := one.run(ctx, s.duration)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		asked += took.requests
	}
	return nil
}

// measureAlone is goal 2b: one connection.
func (s *session) measureAlone(ctx context.Context) error {
	g, err := s.begin(ctx, brandLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	plain, err := s.startPlain(ctx)
	if err != nil {
		return err
	}
	defer plain.stop()
	ours, theirs := g.pages(50, 1), g.pages(50, 1)
	theirs.service, theirs.paths = plain, plainPaths(g.brand, g.places, 50)
	sides := []side{s.overHTTP("server, 1 connection", ours), s.overHTTP("plain server, 1 connection", theirs)}
	others, stop, err := s.variants(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, v := range others {
		a := g.pages(50, 1)
		a.service = v
		sides = append(sides, s.overHTTP("server, "+v.name+", 1 connection", a))
	}
	all, err := s.contest(ctx, "page of 50, one connection",
		sides...)
	if err != nil {
		return err
	}
	s.report.set("2b", all[0].over(all[1], rate), all...)
	return nil
}
