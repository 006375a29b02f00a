package ratelimit_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// A key gets its 600 whatever the database's defaults are, and
// though a server stops meanwhile: a session sets what it needs itself.
func TestLimiter_ExactUnderAnyDefaults(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		"default_transaction_isolation = 'serializable'; default_transaction_deferrable = on; default_transaction_read_only = on",
		"search_path = nowhere",
		"client_encoding = LATIN1; TimeZone = 'Asia/Kathmandu'; DateStyle = 'SQL, DMY'; IntervalStyle = sql_standard; bytea_output = escape",
		"lock_timeout = 1; statement_timeout = 500",
		"synchronous_commit = off; row_security = off; standard_conforming_strings = off",
		"plan_cache_mode = force_custom_plan; enable_indexscan = off; enable_indexonlyscan = off; enable_bitmapscan = off",
	} {
		t.Run(settings, func(t *testing.T) {
			t.Parallel()
			database := dbtest.New(t)
			conn := dbtest.Connect(t, database.OwnerURL)
			client := insertClient(t, conn)
			insertKey(t, conn, &model{prefix: "held", client: &client})
			for setting := range strings.SplitSeq(settings, "; ") {
				database.Exec(t, fmt.Sprintf("ALTER DATABASE %s SET %s", database.Name, setting))
			}
			var admitted atomic.Int64
			var remaining sync.Map
			admitBy := func(limiter *ratelimit.Limiter) {
				a, err := limiter.Admit(t.Context(), held())
				if err != nil {
					t.Error(err)
					return
				}
				if a.Verdict != ratelimit.Admitted {
					return
				}
				admitted.Add(1)
				if _, told := remaining.LoadOrStore(a.Remaining, true); told {
					t.Errorf("Remaining is %d twice", a.Remaining)
				}
			}
			pools := []*postgres.Pool{openPool(t, database.ServerURL), openPool(t, database.ServerURL)}
			stays, stops := ratelimit.New(pools[0]), ratelimit.New(pools[1])
			t.Cleanup(stays.Close)
			var running, before sync.WaitGroup
			admitBy(stays) // a verified key waits for no slot
			for range 399 {
				running.Go(func() { admitBy(stays) })
			}
			admitBy(stops)
			for range 199 {
				before.Go(func() { admitBy(stops) })
			}
			before.Wait()
			stops.Close()
			for range 200 {
				running.Go(func() { admitBy(stays) })
			}
			running.Wait()
			check.Equal(t, admitted.Load(), 600, "admitted of 800")
			for _, pool := range pools {
				wantFlushedCommits(t, pool)
			}
		})
	}
}

// wantFlushedCommits asks every connection of a limiter: after a crash a key would get
// back the requests whose commits were not flushed.
func wantFlushedCommits(t *testing.T, pool *postgres.Pool) {
	t.Helper()
	conns := pool.AcquireAllIdle(t.Context())
	if len(conns) == 0 {
		t.Error("the limiter has no connection")
	}
	for _, conn := range conns {
		var got string
		if err := conn.QueryRow(t.Context(), "SELECT current_setting('synchronous_commit')").Scan(&got); err != nil || got != "on" {
			t.Errorf("synchronous_commit of the limiter is %q (%v), want on", got, err)
		}
		conn.Release()
	}
}

// Where admit could miscount, it refuses to run and says why.
func TestAdmit_RefusesToMiscount(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	client := insertClient(t, conn)
	insertKey(t, conn, &model{prefix: "held", client: &client})
	const isolation = `admit counts at the isolation level read committed only, this transaction is at `
	const request = "admit takes a prefix, a secret's hash and a route for each request, and no nulls"
	const policy = "admit takes a limit of at least 1, a window longer than none and a clock's shift"
	for _, c := range []struct {
		level pgx.TxIsoLevel
		args  string
		want  string
	}{
		{pgx.RepeatableRead, "'{held}', ARRAY[$1::bytea], '{r}', 600, '1 hour', '0'", isolation + "repeatable read"},
		{pgx.Serializable, "'{held}', ARRAY[$1::bytea], '{r}', 600, '1 hour', '0'", isolation + "serializable"},
		{pgx.ReadUncommitted, "'{held}', ARRAY[$1::bytea], '{r}', 600, '1 hour', '0'", isolation + "read uncommitted"},
		{pgx.ReadCommitted, "'{held}', (ARRAY[NULL, $1::bytea])[1:1], '{r}', 600, '1 hour', '0'", request},
		{pgx.ReadCommitted, "'{held,held}', ARRAY[$1::bytea], '{r,r}', 600, '1 hour', '0'", request},
		{pgx.ReadCommitted, "'{held,NULL}', ARRAY[$1::bytea, $1::bytea], '{r,r}', 600, '1 hour', '0'", request},
		{pgx.ReadCommitted, "'{held}', ARRAY[$1::bytea], NULL, 600, '1 hour', '0'", request},
		{pgx.ReadCommitted, "'{held}', ARRAY[$1::bytea], '{r}', NULL, '1 hour', '0'", policy},
		{pgx.ReadCommitted, "'{held}', ARRAY[$1::bytea], '{r}', 0, '1 hour', '0'", policy},
		{pgx.ReadCommitted, "'{held}', ARRAY[$1::bytea], '{r}', 600, NULL, '0'", policy},
		{pgx.ReadCommitted, "'{held}', ARRAY[$1::bytea], '{r}', 600, '-1 hour', '0'", policy},
		{pgx.ReadCommitted, "'{held}', ARRAY[$1::bytea], '{r}', 600, '1 hour', NULL", policy},
	} {
		err := pgx.BeginTxFunc(t.Context(), conn, pgx.TxOptions{IsoLevel: c.level}, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "SELECT FROM admit("+c.args+")", secret[:])
			return err
		})
		check.Error(t, err, c.want+" (SQLSTATE", c.args, c.level, c.want)
	}
	var logged int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM request_log").Scan(&logged); err != nil || logged != 0 {
		t.Errorf("%d requests are logged (%v), want none", logged, err)
	}
}
