package ratelimit_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Whatever two servers count at once is added up, and the last of it when they close. The
// client is the key's; an unknown key and one that was deleted have no usage.
func TestUsage_OfSeveralServersIsAddedUp(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := dbtest.Connect(t, database.OwnerURL)
	client := insertClient(t, conn)
	insertKey(t, conn, &model{prefix: "held", client: &client})
	var key uuid.UUID
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT id FROM api_keys WHERE prefix = 'held'").Scan(&key))
	pool := openPool(t, database.ServerURL)
	for range 2 {
		var recording sync.WaitGroup
		servers := []*ratelimit.Usage{ratelimit.NewUsage(pool), ratelimit.NewUsage(pool)}
		for _, usage := range servers {
			for range 4 {
				recording.Go(func() {
					for range 25 {
						usage.Record(key, "listInterviews", 200)
						usage.Record(key, "listInterviews", 429)
						usage.Record(key, "mcp", 200)
						usage.Record(uuid.Nil, "mcp", 401)
						usage.Record(uuid.New(), "mcp", 200)
					}
				})
			}
		}
		recording.Wait()
		var closing sync.WaitGroup
		for _, usage := range servers {
			closing.Go(usage.Close)
		}
		closing.Wait()
	}
	type row struct {
		Client, Key uuid.UUID
		Route       string
		Status      int
		Requests    int
		Hours       int
	}
	rows, _ := conn.Query(t.Context(), `SELECT client_id, key_id, route, status, sum(requests), count(*) FROM key_usage
		WHERE hour IN (date_trunc('hour', now()), date_trunc('hour', now() - interval '1 minute'))
		GROUP BY client_id, key_id, route, status ORDER BY route, status`)
	got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	for i, want := range []row{{client, key, "listInterviews", 200, 400, 1}, {client, key, "listInterviews", 429, 400, 1}, {client, key, "mcp", 200, 400, 1}} {
		if got[i].Hours = min(got[i].Hours, 1); got[i] != want {
			t.Errorf("got %+v, want %+v", got[i], want)
		}
	}
}

// Usage is kept for 400 days, by months that are dropped whole; a server's clock that is
// ahead puts nothing into the future.
func TestUsage_IsKeptFor400Days(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	client := insertClient(t, conn)
	insertKey(t, conn, &model{prefix: "held", client: &client})
	exec := func(sql string, args ...any) {
		t.Helper()
		dbtest.Exec(t, conn, sql, args...)
	}
	month := func(back int) string {
		now := time.Now().UTC()
		return time.Date(now.Year(), now.Month()-time.Month(back), 1, 0, 0, 0, 0, time.UTC).Format("20060102")
	}
	exec("CREATE TABLE key_usage_" + month(15) + " PARTITION OF key_usage FOR VALUES FROM ('" + month(15) + "') TO ('" + month(14) + "')")
	for _, age := range []string{"10 years", "399 days", "-2 days"} {
		exec(`SELECT add_key_usage(ARRAY[k.id, k.id], ARRAY[now() - $1::interval, now() - $1::interval], '{a,a}', '{200,200}', '{1,2}')
			FROM api_keys AS k WHERE k.prefix = 'held'`, age)
	}
	exec("SELECT maintain_request_log()")
	var hours []time.Time
	var requests int
	var dropped bool
	if err := conn.QueryRow(t.Context(), "SELECT array_agg(u.hour ORDER BY u.hour), sum(u.requests), to_regclass('key_usage_"+month(15)+"') IS NULL FROM key_usage AS u").
		Scan(&hours, &requests, &dropped); err != nil {
		t.Fatal(err)
	}
	if len(hours) != 2 || time.Since(hours[0]) < 398*24*time.Hour || hours[1].After(time.Now()) || requests != 6 || !dropped {
		t.Errorf("%d requests of the hours %v are kept, and the month that is over is dropped: %v", requests, hours, dropped)
	}
}
