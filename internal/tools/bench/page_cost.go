package main

import (
	"context"
	"fmt"
	"time"

	"github.com/clientintel/clientintel/internal/measurement"
)

// fewConnections keep two cores busy without a queue.
const fewConnections = 8

// measureCanonical is goal 4: the same client is switched to and fro.
func (s *session) measureCanonical(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	defer func() { _ = s.switchMode(context.WithoutCancel(ctx), g.client, measurement.Canonical) }()
	in := func(mode measurement.Mode) workload {
		one := s.httpWorkload("server, "+string(mode)+" client", g.pages(50, manyConnections))
		run := one.run
		one.run = func(ctx context.Context, d time.Duration) (sample, error) {
			if err := s.switchMode(ctx, g.client, mode); err != nil {
				return sample{}, err
			}
			return run(ctx, d)
		}
		return one
	}
	all, err := s.compare(ctx, "canonical and legacy", in(measurement.Canonical), in(measurement.Legacy))
	if err != nil {
		return err
	}
	s.report.set("4", all[0].ratioTo(all[1], rate), all...)
	return nil
}

// switchMode does what a cutover does once it has proven the count.
func (s *session) switchMode(ctx context.Context, c *client, mode measurement.Mode) error {
	_, err := s.admin.Exec(ctx, `UPDATE clients
		SET measurement_mode = $2, measurement_contract_version = CASE WHEN $2 = 'canonical' THEN $3 END
		WHERE id = $1`, c.id, string(mode), measurement.ContractVersion)
	if err != nil {
		return fmt.Errorf("switching %s to %s: %w", c.slug, mode, err)
	}
	return nil
}

// measureFirstPage is goal 4b: a first page names all interviews of its scope,
// here the most that a basis can hold.
func (s *session) measureFirstPage(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLargestBasis)
	if err != nil {
		return err
	}
	defer g.stop()
	if g.client.usable != maxBasis {
		return fmt.Errorf("%s has %d usable interviews, not %d", g.client.slug, g.client.usable, maxBasis)
	}
	var analyzed int
	if err := s.admin.QueryRow(ctx, "SELECT count(*) FROM usable_interviews WHERE client_id = $1 AND status = 'analyzed'", g.client.id).
		Scan(&analyzed); err != nil {
		return err
	}
	first := func(name, filter string, ids int) workload {
		a := g.pages(50, fewConnections)
		a.paths, a.contains = []string{listPath + "?limit=50" + filter}, fmt.Sprintf(`"source_count":%d`, ids)
		return s.httpWorkload(name, a)
	}
	all, err := s.compare(ctx, "first page with its basis",
		s.httpWorkload("continuation page", g.pages(50, fewConnections)),
		first("first page", "", maxBasis),
		first("first page of a status", "&status=analyzed", analyzed),
		first("first page from a day on", "&date_from="+spanFrom.Format("2006-01-02"), maxBasis))
	if err != nil {
		return err
	}
	worst := all[1].ratioTo(all[0], rate)
	for _, other := range all[2:] {
		if q := other.ratioTo(all[0], rate); q.value < worst.value {
			worst = q
		}
	}
	s.report.set("4b", worst, all...)
	return nil
}

// measureGrowth is goal 5: what a page costs whatever lies around it.
func (s *session) measureGrowth(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	var workloads []workload
	for _, slug := range []string{clientTen, clientLarge, clientSecond, clientTied} {
		of, err := s.fixtureOn(ctx, g.service, slug)
		if err != nil {
			return err
		}
		workloads = append(workloads, s.httpWorkload("page of "+slug, of.pages(50, fewConnections)))
	}
	all, err := s.compare(ctx, "pages of small, large and tied clients", workloads...)
	if err != nil {
		return err
	}
	s.report.set("5a", all[1].ratioTo(all[0], meanSeconds), all[0], all[1])
	s.report.set("5b", all[3].ratioTo(all[2], meanSeconds), all[2], all[3])
	return nil
}
