package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/search"
)

// auditEvery is how old an audit may be: running servers audit every client well within a day.
const auditEvery = 24 * time.Hour

// clients checks the states that canonical clients' numbers are proven with.
func (c *checker) clients(ctx context.Context) Finding {
	rows, err := c.conn.Query(ctx, `SELECT c.slug, coalesce(c.measurement_contract_version, ''), s.client_id IS NOT NULL,
			coalesce(s.broken_reason, ''), s.broken_at IS NOT NULL,
			coalesce(s.audited_at < clock_timestamp() - $1::interval, true)
		FROM clients AS c
		LEFT JOIN measurement_states AS s ON s.client_id = c.id
		WHERE c.measurement_mode = 'canonical'
		ORDER BY c.slug`, auditEvery)
	if err != nil {
		return c.fail(err)
	}
	var slug, version, reason string
	var hasState, broken, stale bool
	var count int
	var refused, unaudited []string
	_, err = pgx.ForEachRow(rows, []any{&slug, &version, &hasState, &reason, &broken, &stale}, func() error {
		count++
		switch {
		case !hasState:
			refused = append(refused, slug+" (its state is missing)")
		case broken:
			refused = append(refused, fmt.Sprintf("%s (marked broken: %s)", slug, reason))
		case version != measurement.ContractVersion:
			refused = append(refused, fmt.Sprintf("%s (contract version %q is not known to this program)", slug, version))
		case stale:
			unaudited = append(unaudited, slug)
		}
		return nil
	})
	if err != nil {
		return c.fail(err)
	}
	switch {
	case len(refused) > 0:
		return wrong("Run clientintel measurement rebuild --all; for an unknown version, use the release that knows it.",
			"answered with 503: %s", shorten(refused))
	case len(unaudited) > 0:
		return warning("Run clientintel measurement audit, or keep a server running, which audits in the background.",
			"not audited for a day: %s", shorten(unaudited))
	}
	return ok("%d canonical clients, all of them provable", count)
}

func (c *checker) textFolding(ctx context.Context) Finding {
	if err := search.Check(ctx, c.conn); err != nil {
		return wrong("No server starts like this: see above.", "%s", err)
	}
	return ok("texts are folded as on every other server")
}

// backlogAllowed is how many documents may wait to be indexed, beside the newest
// ones, which are left out of the index on purpose.
const backlogAllowed = 50_000

func (c *checker) backlog(ctx context.Context) Finding {
	var waiting int64
	c.queryRow(ctx, `SELECT coalesce(sum(b.documents - $1), 0)::bigint
		FROM (SELECT count(*) AS documents FROM search_documents AS d WHERE NOT d.indexed GROUP BY d.client_id) AS b
		WHERE b.documents > $1`, []any{search.DefaultLimits().Newest}, &waiting)
	if waiting > backlogAllowed {
		return warning("Keep a server running: it indexes in the background. Searches are slower until then, never wrong.",
			"%d documents wait to be indexed for searches", waiting)
	}
	return ok("%d documents wait to be indexed for searches", waiting)
}

// requestLogPartitions checks that the coming days have partitions, which a
// running server creates.
func (c *checker) requestLogPartitions(ctx context.Context) Finding {
	var today, tomorrow bool
	var days int
	var rest int64
	c.queryRow(ctx, `SELECT
		to_regclass('public.request_log_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL,
		to_regclass('public.request_log_' || to_char((now() AT TIME ZONE 'UTC') + interval '1 day', 'YYYYMMDD')) IS NOT NULL,
		(SELECT count(*) FROM pg_inherits AS h WHERE h.inhparent = 'public.request_log'::regclass),
		(SELECT count(*) FROM request_log_default)`, nil, &today, &tomorrow, &days, &rest)
	const advice = "Keep a server running: it makes the coming days' partitions every hour. Nothing is lost meanwhile, as the rest takes the rows."
	switch {
	case !today || !tomorrow:
		return warning(advice, "the log of requests has no partition for today, or none for tomorrow")
	case rest > 0:
		return warning(advice, "%d rows of the log of requests lie outside of any day's partition", rest)
	}
	return ok("%d partitions, today's and tomorrow's among them", days)
}

// futureRequests looks for log rows dated in the future, which a clock that was ahead
// left behind.
func (c *checker) futureRequests(ctx context.Context) Finding {
	var rows, keys int64
	c.queryRow(ctx, `SELECT count(*), count(DISTINCT l.key_id)
		FROM request_log AS l
		WHERE l.at > statement_timestamp() + interval '1 second'`, nil, &rows, &keys)
	if rows > 0 {
		return warning("Run clientintel keys list, which names them, and clientintel keys mend-window for each; keep the database's clock with NTP.",
			"%d rows of the log of requests are dated in the future, of %d keys: their windows do not advance until then", rows, keys)
	}
	return ok("no row is dated in the future")
}
