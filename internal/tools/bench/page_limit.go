package main

import (
	"context"
	"fmt"
)

// The limit of a page is a plain table, read with a plain keyset query. Neither
// changes with the product, so that a better query of ours shows as a gain.
const (
	plainTable = `CREATE SCHEMA IF NOT EXISTS bench_limit;
CREATE TABLE IF NOT EXISTS bench_limit.interviews AS SELECT i.* FROM public.interviews AS i WHERE i.usable;
CREATE INDEX IF NOT EXISTS pages ON bench_limit.interviews (client_id, created_at DESC, id);
GRANT USAGE ON SCHEMA bench_limit TO PUBLIC;
GRANT SELECT ON bench_limit.interviews TO PUBLIC`

	plainPage = `SELECT id, client_id, created_at, campaign_id, participant_name, interview_type, status,
    duration_seconds, nps_score, customer_sentiment, churn_risk, best_quote
FROM bench_limit.interviews
WHERE client_id = '%s'
    AND created_at <= $1::timestamptz
    AND (created_at < $1::timestamptz OR id > $2::uuid)
ORDER BY created_at DESC, id
LIMIT 51`
)

// pageLimit is PostgreSQL alone with the plain page, under either mode of planning,
// by the number of connections.
func (s *session) pageLimit(ctx context.Context, set pageSet) (map[int][]workload, error) {
	if !s.wants("16") {
		return nil, nil
	}
	for _, statement := range []string{plainTable, "VACUUM (ANALYZE) bench_limit.interviews"} {
		if _, err := s.admin.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("making the table of the page's limit: %w", err)
		}
	}
	if err := prewarm(ctx, s.admin, s.logf); err != nil {
		return nil, err
	}
	var scripts []script
	for _, b := range set.brands {
		scripts = append(scripts, script{
			prologue: randomInstant(b.positions), query: fmt.Sprintf(plainPage, b.id), variables: []any{instant, b.positions[0].ID},
		})
	}
	limit := map[int][]workload{}
	for _, n := range concurrencies {
		for _, mode := range []string{"generic", "custom"} {
			one, err := s.pgbenchMode(fmt.Sprintf("limit, %s, %s plans, %d connections", set.title, mode, n), mode, n, scripts...)
			if err != nil {
				return nil, err
			}
			limit[n] = append(limit[n], one)
		}
	}
	return limit, nil
}

// instant is a random one between the positions' first and last; a literal's
// colons would be variables.
const instant = sqlExpression("to_timestamp(:us / 1000000.0)")

// randomInstant chooses it.
func randomInstant(positions []position) string {
	newest, oldest := positions[0].CreatedAt, positions[len(positions)-1].CreatedAt
	return fmt.Sprintf("\\set us random(%d, %d)\n", oldest.UnixMicro(), newest.UnixMicro())
}
