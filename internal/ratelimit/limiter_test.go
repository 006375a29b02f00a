package ratelimit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Two servers, many callers, several keys: each key gets its 600, and the log
// numbers them without a gap.
func TestLimiter_ExactAcrossServers(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := dbtest.Connect(t, database.OwnerURL)
	client := insertClient(t, conn)
	prefixes := []string{"one", "two", "three"}
	for _, prefix := range prefixes {
		insertKey(t, conn, &model{prefix: prefix, client: &client})
	}
	const callers, each = 24, 90 // of each server: 720 requests of a key in all, and half of them again
	admitted := make([]atomic.Int64, len(prefixes))
	var running sync.WaitGroup
	for range 2 {
		limiter := newLimiter(t, database)
		for caller := range callers {
			running.Go(func() {
				for n := range each {
					key := (caller + n) % len(prefixes)
					a, err := limiter.Admit(t.Context(), ratelimit.Request{Prefix: prefixes[key], SecretHash: secret, Route: "r"})
					if err != nil {
						t.Error(err)
						return
					}
					if a.Verdict == ratelimit.Admitted {
						admitted[key].Add(1)
					}
				}
			})
		}
	}
	running.Wait()
	for i, prefix := range prefixes {
		var rows, numbers, last, instants int
		var monotone bool
		if err := conn.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT l.seq), max(l.seq), count(DISTINCT l.at), bool_and(l.at >= l.before) IS NOT FALSE
			FROM (SELECT r.seq, r.at, lag(r.at) OVER (ORDER BY r.seq) AS before
				FROM request_log AS r JOIN api_keys AS k ON k.id = r.key_id WHERE k.prefix = $1) AS l`,
			prefix).Scan(&rows, &numbers, &last, &instants, &monotone); err != nil {
			t.Fatal(err)
		}
		if got := admitted[i].Load(); got != 600 || rows != 600 || numbers != 600 || last != 600 || !monotone {
			t.Errorf("key %q: %d admitted, %d rows of %d numbers up to %d, in the order of time: %v; want 600 of each",
				prefix, got, rows, numbers, last, monotone)
		}
	}
}

// A request that is abandoned before its group is sent uses nothing of the quota.
func TestLimiter_AbandonedRequestsAreNotCounted(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := dbtest.Connect(t, database.OwnerURL)
	client := insertClient(t, conn)
	insertKey(t, conn, &model{prefix: "held", client: &client})
	limiter := newLimiter(t, database)

	// The group under way waits for the key while somebody holds it.
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	dbtest.Exec(t, tx, "SELECT pg_advisory_xact_lock(hashtextextended('held', 600))")
	var inside sync.WaitGroup
	watch := dbtest.Connect(t, database.OwnerURL)
	inside.Go(func() {
		if _, err := limiter.Admit(t.Context(), held()); err != nil {
			t.Error(err)
		}
	})
	dbtest.Await(t, "this", func() bool {
		var waiting int
		if err := watch.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		return waiting == 1
	})
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := limiter.Admit(leaving, held())
		left <- err
	}()
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the abandoned request got %v, want %v", err, context.Canceled)
	}
	require.NoError(t, tx.Rollback(t.Context()))
	inside.Wait()
	a, err := limiter.Admit(t.Context(), held())
	if want := 600 - 1; err != nil || a.Remaining != want {
		t.Errorf("Remaining is %d (%v), want %d", a.Remaining, err, want)
	}
}

func held() ratelimit.Request {
	return ratelimit.Request{Prefix: "held", SecretHash: secret, Route: "r"}
}

func newLimiter(t *testing.T, database *dbtest.Database) *ratelimit.Limiter {
	t.Helper()
	limiter := ratelimit.New(openPool(t, database.OwnerURL))
	t.Cleanup(limiter.Close)
	return limiter
}

func openPool(t *testing.T, url string) *postgres.Pool {
	t.Helper()
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{
		URL: url, Size: ratelimit.Connections, StatementTimeout: 3 * time.Second, AcquireTimeout: 2 * time.Second,
	})
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// Waiting for exactly so long succeeds: seconds are rounded up, and one is the least.
func TestAdmission_RetryAfterIsRoundedUp(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for until, want := range map[time.Duration]time.Duration{
		-time.Second: time.Second, 0: time.Second, time.Microsecond: time.Second, time.Second: time.Second,
		time.Second + time.Microsecond: 2 * time.Second, time.Hour - time.Millisecond: time.Hour,
	} {
		check.Equal(t, (ratelimit.Admission{At: at, ResetAt: at.Add(until)}).RetryAfter(), want, until)
	}
}
