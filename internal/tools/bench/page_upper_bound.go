package main

import (
	"context"
	"fmt"
)

// The upper bound of a page is a table with the usable interviews alone, read with a
// keyset query. Neither changes with the product, so that a better query of ours shows
// as a gain.
const (
	boundTable = `CREATE SCHEMA IF NOT EXISTS bench_upper_bound;
CREATE TABLE IF NOT EXISTS bench_upper_bound.interviews AS SELECT i.* FROM public.interviews AS i WHERE i.usable;
CREATE INDEX IF NOT EXISTS pages ON bench_upper_bound.interviews (client_id, created_at DESC, id);
GRANT USAGE ON SCHEMA bench_upper_bound TO PUBLIC;
GRANT SELECT ON bench_upper_bound.interviews TO PUBLIC`

	boundPage = `SELECT id, client_id, created_at, campaign_id, participant_name, interview_type, status,
    duration_seconds, nps_score, customer_sentiment, churn_risk, best_quote
FROM bench_upper_bound.interviews
WHERE client_id = '%s'
    AND created_at <= $1::timestamptz
    AND (created_at < $1::timestamptz OR id > $2::uuid)
ORDER BY created_at DESC, id
LIMIT 51`
)

// pageUpperBound is PostgreSQL alone with that page, under either mode of planning,
// by the number of connections.
func (s *session) pageUpperBound(ctx context.Context, set pageSet) (map[int][]workload, error) {
	if !s.wants("16") {
		return nil, nil
	}
	for _, statement := range []string{boundTable, "VACUUM (ANALYZE) bench_upper_bound.interviews"} {
		if _, err := s.admin.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("making the table of the page's upper bound: %w", err)
		}
	}
	if err := prewarm(ctx, s.admin, s.logf); err != nil {
		return nil, err
	}
	var scripts []script
	for _, c := range set.clients {
		scripts = append(scripts, script{
			prologue: randomInstant(c.positions), query: fmt.Sprintf(boundPage, c.id), variables: []any{instant, c.positions[0].ID},
		})
	}
	bounds := map[int][]workload{}
	for _, n := range concurrencies {
		for _, mode := range []string{"generic", "custom"} {
			one, err := s.pgbenchMode(fmt.Sprintf("upper bound, %s, %s plans, %d connections", set.title, mode, n), mode, n, scripts...)
			if err != nil {
				return nil, err
			}
			bounds[n] = append(bounds[n], one)
		}
	}
	return bounds, nil
}

// instant is a random one between the positions' first and last; a literal's
// colons would be variables.
const instant = sqlExpression("to_timestamp(:us / 1000000.0)")

// randomInstant chooses it.
func randomInstant(positions []position) string {
	newest, oldest := positions[0].CreatedAt, positions[len(positions)-1].CreatedAt
	return fmt.Sprintf("\\set us random(%d, %d)\n", oldest.UnixMicro(), newest.UnixMicro())
}
