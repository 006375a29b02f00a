package console_test

import (
	"slices"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

func TestMeasure(t *testing.T) {
	srv, seed := apitest.Start(t)
	console := srv.StartConsole(t, seed, "")
	c := seed.Clients["acme"]
	seed.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, created_at)
		SELECT lpad(n::text, 12, '0'), gen_random_uuid(), $1, 'n', sha256('x'), '{}', now() - interval '401 days' FROM generate_series(1, 200) AS n`, c)
	seed.Exec(t, `DO $$ BEGIN FOR i IN 0..14 LOOP
		EXECUTE format('CREATE TABLE IF NOT EXISTS usage_days_%s PARTITION OF usage_days FOR VALUES FROM (%L) TO (%L)', to_char(date_trunc('month', now()) - i * interval '1 month', 'YYYYMMDD'), date_trunc('month', now()) - i * interval '1 month', date_trunc('month', now()) - (i-1) * interval '1 month');
		EXECUTE format('CREATE TABLE IF NOT EXISTS key_usage_%s PARTITION OF key_usage FOR VALUES FROM (%L) TO (%L)', to_char(date_trunc('month', now()) - i * interval '1 month', 'YYYYMMDD'), date_trunc('month', now()) - i * interval '1 month', date_trunc('month', now()) - (i-1) * interval '1 month');
	END LOOP; END $$`)
	seed.Exec(t, `INSERT INTO key_usage SELECT $1, k.id, date_trunc('hour', now()) - h * interval '1 hour', r, s, 10
		FROM api_keys k, generate_series(0, 400*24-1) h, (VALUES ('listInterviews', 200::smallint), ('listSynthesis', 200), ('listInterviews', 429)) AS v (r, s) WHERE k.client_id = $1`, c)
	seed.Exec(t, `INSERT INTO usage_days SELECT client_id, key_id, date_trunc('day', hour, 'UTC'), route, status, sum(requests) FROM key_usage GROUP BY 1, 2, 3, 4, 5`)
	seed.Exec(t, `INSERT INTO usage_days SELECT client_id, '00000000-0000-0000-0000-000000000000', day, route, status, sum(requests) FROM usage_days GROUP BY 1, 3, 4, 5`)
	seed.Exec(t, `INSERT INTO request_log SELECT $1, k.id, now() - n * interval '6 seconds', 600 - n, 'listInterviews', NULL FROM api_keys k, generate_series(0, 599) n WHERE k.client_id = $1`, c)
	seed.Exec(t, "ANALYZE")
	var hours, days, size, sized string
	seed.Query(t, &hours, "SELECT count(*)::text FROM key_usage")
	seed.Query(t, &days, "SELECT count(*)::text FROM usage_days")
	seed.Query(t, &size, "SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid))) FROM pg_class c WHERE relname LIKE 'key_usage_2%' AND relkind = 'r'")
	seed.Query(t, &sized, "SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid))) FROM pg_class c WHERE relname LIKE 'usage_days_2%' AND relkind = 'r'")
	t.Log(hours, "hours", size, days, "days", sized)
	token := console.As(t, "acme")
	from := time.Now().Add(-399 * 24 * time.Hour).Format(time.DateOnly)
	week := time.Now().Add(-6 * 24 * time.Hour).Format(time.DateOnly)
	var key string
	seed.Query(t, &key, "SELECT id::text FROM api_keys WHERE client_id = $1 LIMIT 1", c)
	for _, path := range []string{"usage?from=" + from, "usage?from=" + from + "&key=" + key, "usage?by=hour&from=" + week, "usage?by=hour", "keys?limit=200", "keys", "usage"} {
		var took []time.Duration
		size := 0
		for range 9 {
			began := time.Now()
			size = len(console.Do(t, "GET", "/clients/acme/"+path, token, nil).WantStatus(t, 200).Body)
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Log(path, "median", took[4], "max", took[8], size, "bytes")
	}
}
