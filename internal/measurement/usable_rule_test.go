package measurement_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// The audit's own usable rule and the generated column agree on every combination of
// columns, campaigns included.
func TestUsableRule_TheAuditSpellsTheSameRule(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	conn := dbtest.Connect(t, d.OwnerURL)
	b := newBrand(t, conn, "acme", "canonical")
	dbtest.Exec(t, conn, `INSERT INTO campaigns (client_id, id, slug, launch_status, active)
		SELECT $1, gen_random_uuid(), format('%s/%s', s.v, a.v), s.v, a.v
		FROM (VALUES ('live'), ('Live'), ('draft'), (NULL)) AS s (v)
		CROSS JOIN (VALUES (true), (false), (NULL)) AS a (v)`, b.id)
	dbtest.Exec(t, conn, `INSERT INTO interviews
			(client_id, id, campaign_id, created_at, status, is_test, duration_seconds, engagement, quality, reportable, client_safe)
		SELECT $1, gen_random_uuid(), c.id, '2026-03-01', s.v, tst.v, d.v, e.v, q.v, r.v, safe.v
		FROM (SELECT NULL::uuid AS id UNION ALL SELECT c.id FROM campaigns AS c) AS c
		CROSS JOIN (VALUES ('completed'), ('analyzed'), ('Completed'), ('in_progress'), ('')) AS s (v)
		CROSS JOIN (VALUES (true), (false)) AS tst (v)
		CROSS JOIN (VALUES (NULL::double precision), (0), (59.999), (60), (60.001), ('NaN'), ('Infinity'), (-60)) AS d (v)
		CROSS JOIN (VALUES (NULL), ('engaged'), ('disengaged'), ('Disengaged'), ('')) AS e (v)
		CROSS JOIN (VALUES ('passed'), ('failed'), ('pending')) AS q (v)
		CROSS JOIN (VALUES (true), (false)) AS r (v)
		CROSS JOIN (VALUES (true), (false)) AS safe (v)`, b.id)

	if n := value[int](t, conn, "SELECT count(*) FROM audited_interviews"); n != 13*5*2*8*5*3*2*2 {
		t.Fatalf("%d combinations, want every one", n)
	}
	check.Equal(t, value[int](t, conn, "SELECT count(*) FROM audited_interviews WHERE passes IS DISTINCT FROM usable"), 0, "combinations on which the two usable rules differ")
	// No campaign, or live and not inactive; two statuses; five lengths; four engagements.
	wantConsistent(t, d, b, 3*2*5*4)
}
