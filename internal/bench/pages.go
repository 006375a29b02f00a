package main

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/db"
)

const manyConnections = 32

// pageScript is the page's SQL as the product runs it on a continuation page,
// at a place that differs from transaction to transaction.
func (s *session) pageScript(b *brand, places []place, limit int, transcripts bool) script {
	newest, oldest := places[0].CreatedAt, places[len(places)-1].CreatedAt
	at := sqlExpression("to_timestamp(:us / 1000000.0)") // a literal's colons would be variables
	return script{
		prologue: fmt.Sprintf("\\set us random(%d, %d)\n", oldest.UnixMicro(), newest.UnixMicro()),
		query:    db.ListInterviews,
		// In the order of db.ListInterviewsParams, which is that of the numbers.
		variables: arguments(db.ListInterviewsParams{
			ClientID: b.id, WithTranscripts: transcripts, WithCustomExtraction: transcripts,
			AfterID: places[0].ID, FromCreatedAt: always, MaxRows: int32(limit) + 1,
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
	ours, err := s.startServer(ctx, "ours", s.product)
	if err != nil {
		return err
	}
	defer ours.stop()
	b := s.brands[brandLarge]
	places, err := s.placesOf(ctx, ours, brandLarge)
	if err != nil {
		return err
	}
	keys, err := s.ring(ctx, brandLarge)
	if err != nil {
		return err
	}
	page := func(v *service) ask {
		return ask{service: v, keys: keys, paths: pagePaths(places, 50), connections: manyConnections, contains: full(50)}
	}
	sides := []side{s.overHTTP("server", page(ours))}
	at := map[string]int{}
	if s.wants("1") {
		at["pgbench"] = len(sides)
		alone, err := s.pageSides(s.pageScript(b, places, 50, false), 1, 8, manyConnections)
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
		a.paths = plainPaths(b, places, 50)
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
			if err := s.askAll(ctx, sides[len(sides)-1], keys); err != nil {
				return err
			}
		}
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
	return nil
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
	ours, err := s.startServer(ctx, "ours", s.product)
	if err != nil {
		return err
	}
	defer ours.stop()
	plain, err := s.startPlain(ctx)
	if err != nil {
		return err
	}
	defer plain.stop()
	places, err := s.placesOf(ctx, ours, brandLarge)
	if err != nil {
		return err
	}
	keys, err := s.ring(ctx, brandLarge)
	if err != nil {
		return err
	}
	all, err := s.contest(ctx, "page of 50, one connection",
		s.overHTTP("server, 1 connection", ask{
			service: ours, keys: keys, paths: pagePaths(places, 50), connections: 1, contains: full(50)}),
		s.overHTTP("plain server, 1 connection", ask{
			service: plain, keys: keys, paths: plainPaths(s.brands[brandLarge], places, 50), connections: 1, contains: full(50)}),
	)
	if err != nil {
		return err
	}
	s.report.set("2b", all[0].over(all[1], rate), all[0], all[1])
	return nil
}
