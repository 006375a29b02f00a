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

// measurePage is goals 1, 2a, 3 and 13: one contest, as they share a side.
func (s *session) measurePage(ctx context.Context) error {
	g, err := s.begin(ctx, brandLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	page := func(v *service) ask {
		a := g.pages(50, manyConnections)
		a.service = v
		return a
	}
	sides := []side{s.overHTTP("server", page(g.service))}
	at := map[string]int{}
	if s.wants("1") {
		at["pgbench"] = len(sides)
		alone, err := s.pageSides(pageScript(g, 50, false), 1, 8, manyConnections)
		if err != nil {
			return err
		}
		sides = append(sides, alone...)
	}
	if s.wants("2") {
		at["plain"] = len(sides)
		v, err := s.startPlain(ctx)
		if err != nil {
			return err
		}
		defer v.stop()
		a := page(v)
		a.paths = plainPaths(g.brand, g.places, 50)
		sides = append(sides, s.overHTTP("plain server", a))
	}
	for _, other := range []struct{ goal, name, binary, setting string }{
		{"3", "admission off", s.open, "CLIENTINTEL_BENCHMARK_ADMISSION=off"},
		{"13", "validation off", s.product, "CLIENTINTEL_RESPONSE_VALIDATION=off"},
		{"13", "validation enforce", s.product, "CLIENTINTEL_RESPONSE_VALIDATION=enforce"},
	} {
		if !s.wants(other.goal) {
			continue
		}
		v, err := s.startServer(ctx, other.name, other.binary, other.setting)
		if err != nil {
			return err
		}
		defer v.stop()
		at[other.name] = len(sides)
		sides = append(sides, s.overHTTP("server, "+other.name, page(v)))
		if other.binary == s.open {
			// It asks the database once for each key.
			if err := s.askAll(ctx, sides[len(sides)-1], g.keys); err != nil {
				return err
			}
		}
	}
	others, stop, err := s.variants(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, v := range others {
		sides = append(sides, s.overHTTP("server, "+v.name, page(v)))
	}
	all, err := s.contest(ctx, "page of 50", sides...)
	if err != nil {
		return err
	}
	if i, ok := at["pgbench"]; ok {
		alone := all[i : i+3]
		s.report.set("1", all[0].over(best(rate, alone...), rate), all[0], alone[0], alone[1], alone[2])
	}
	if i, ok := at["plain"]; ok {
		s.report.set("2a", all[0].over(all[i], rate), all[0], all[i])
	}
	if i, ok := at["admission off"]; ok {
		s.report.set("3", all[0].over(all[i], rate), all[0], all[i])
	}
	if i, ok := at["validation off"]; ok {
		enforce := all[at["validation enforce"]]
		s.report.set("13", all[0].over(all[i], rate), all[0], all[i])
		s.report.set("13_enforce", enforce.over(all[i], rate), enforce)
	}
	if len(others) > 0 {
		s.report.set("others", all[0].over(all[0], rate), all[len(all)-len(others):]...)
	}
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
