package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// queued starts queries while the pool's only connection is taken, so that they
// wait and are read as one batch once it is released.
type queued struct {
	t       *testing.T
	pool    *postgres.Pool
	twins   twinClients
	reads   sync.WaitGroup
	release func()
	waited  int
}

func newQueued(t *testing.T) *queued {
	t.Helper()
	d := dbtest.New(t)
	c := &queued{t: t, twins: newTwinClients(t, d)}
	var err error
	if c.pool, err = postgres.OpenPool(t.Context(), postgres.PoolSettings{
		URL: d.ServerURL, Size: 1, AcquireTimeout: time.Minute, StatementTimeout: time.Minute, ReadTimeout: 2 * time.Minute,
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.pool.Close)
	began, end := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		if err := c.pool.Read(t.Context(), uuid.Nil, func(context.Context, *postgres.Snapshot) error {
			close(began)
			<-end
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-began
	c.release = func() {
		close(end)
		holder.Wait()
		c.reads.Wait()
	}
	return c
}

// read starts a query, waits until it is queued, and returns where its error will be.
func (c *queued) read(ctx context.Context, client uuid.UUID, sql string, read postgres.RowsReader) *error {
	var err error
	c.reads.Go(func() { err = c.pool.ReadOnce(ctx, client, postgres.Query{SQL: sql}, read) })
	c.awaitOneMore()
	return &err
}

func (c *queued) awaitOneMore() {
	c.waited++
	for end := time.Now().Add(time.Minute); c.pool.Waiting() < c.waited; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatal("the query is not queued")
		}
	}
}

// Queries of one client that wait share a snapshot. Each client sees its own rows.
func TestReadOnce_WaitingQueriesShareASnapshot(t *testing.T) {
	t.Parallel()
	c := newQueued(t)
	clients := []uuid.UUID{c.twins.acme, c.twins.globex}
	type result struct {
		seen uuid.UUID
		asOf time.Time
	}
	var got [2][4]result
	var faults []*error
	for i := range got[0] {
		for j, client := range clients {
			faults = append(faults, c.read(t.Context(), client, "SELECT client_id FROM interviews",
				func(_ context.Context, s *postgres.Snapshot, rows pgx.Rows) error {
					got[j][i].asOf = s.AsOf
					for rows.Next() {
						if err := rows.Scan(&got[j][i].seen); err != nil {
							return err
						}
					}
					return rows.Err()
				}))
		}
	}
	c.release()
	for _, err := range faults {
		if *err != nil {
			t.Error(*err)
		}
	}
	for j, client := range clients {
		for i, one := range got[j] {
			if one.seen != client {
				t.Errorf("client %s's query %d sees %s", client, i, one.seen)
			}
			if !one.asOf.Equal(got[j][0].asOf) {
				t.Errorf("client %s's query %d is of %s, the first of %s: they were not one batch", client, i, one.asOf, got[j][0].asOf)
			}
		}
	}
	if got[0][0].asOf.Equal(got[1][0].asOf) {
		t.Error("two clients share a snapshot")
	}
}

// When one query of a batch fails, the others get their rows.
func TestReadOnce_AFailedQueryLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	for name, failing := range map[string]struct {
		sql  string
		read postgres.RowsReader
		want func(error) bool
	}{
		"a statement that fails": {
			sql:  "SELECT 1 / (count(*) - count(*)) FROM interviews",
			read: readAll,
			want: func(err error) bool { return err != nil && strings.Contains(err.Error(), "division by zero") },
		},
		"a statement that fails between rows": {
			sql:  "SELECT repeat('x', 20000), 1 / (n - 40) FROM generate_series(1, 100) AS n",
			read: readAll,
			want: func(err error) bool { return err != nil && strings.Contains(err.Error(), "division by zero") },
		},
		"a reader that stops": {
			sql:  "SELECT n FROM generate_series(1, 1000) AS n",
			read: func(context.Context, *postgres.Snapshot, pgx.Rows) error { return stop },
			want: func(err error) bool { return errors.Is(err, stop) },
		},
		"a reader that panics": {
			sql:  "SELECT n FROM generate_series(1, 1000) AS n",
			read: func(context.Context, *postgres.Snapshot, pgx.Rows) error { panic("a bug") },
			want: func(err error) bool { return err != nil && strings.Contains(err.Error(), "a bug") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at := range 3 { // the first one runs the batch
				c := newQueued(t)
				var failed error
				var faults []*error
				var rows [3]int
				for i := range rows {
					if i == at {
						c.reads.Go(func() {
							defer func() {
								if cause := recover(); cause != nil {
									failed = fmt.Errorf("%v", cause)
								}
							}()
							failed = c.pool.ReadOnce(t.Context(), c.twins.acme, postgres.Query{SQL: failing.sql}, failing.read)
						})
						c.awaitOneMore()
					}
					faults = append(faults, c.read(t.Context(), c.twins.acme, "SELECT id FROM interviews",
						func(_ context.Context, _ *postgres.Snapshot, found pgx.Rows) error {
							for found.Next() {
								rows[i]++
							}
							return found.Err()
						}))
				}
				c.release()
				if !failing.want(failed) {
					t.Errorf("at %d: the failing query gets %v", at, failed)
				}
				for i, err := range faults {
					if *err != nil || rows[i] != 1 {
						t.Errorf("failed at %d: query %d gets %d rows and %v", at, i, rows[i], *err)
					}
				}
			}
		})
	}
}

// A cancelled query is not waited for, and the queries that it would have run in
// its batch get their rows.
func TestReadOnce_ACancelledQueryLeavesTheQueue(t *testing.T) {
	t.Parallel()
	for at := range 3 {
		c := newQueued(t)
		var rows [3]int
		var faults [3]*error
		cancelled, cancel := context.WithCancel(t.Context())
		for i := range rows {
			ctx := t.Context()
			if i == at {
				ctx = cancelled
			}
			faults[i] = c.read(ctx, c.twins.acme, "SELECT id FROM interviews",
				func(_ context.Context, _ *postgres.Snapshot, found pgx.Rows) error {
					for found.Next() {
						rows[i]++
					}
					return found.Err()
				})
		}
		cancel()
		for end := time.Now().Add(time.Minute); c.pool.Waiting() > 2; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the cancelled query is still queued")
			}
		}
		c.release()
		for i, err := range faults {
			if i == at && (!errors.Is(*err, context.Canceled) || rows[i] != 0) {
				t.Errorf("the cancelled query gets %d rows and %v", rows[i], *err)
			}
			if i != at && (*err != nil || rows[i] != 1) {
				t.Errorf("after %d was cancelled, query %d gets %d rows and %v", at, i, rows[i], *err)
			}
		}
	}
}

// A thousand queries at once, many of them cancelled at any moment: each that is
// read gets its own rows, and every connection is released.
func TestReadOnce_CancelledQueriesLoseNoConnection(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	twins := newTwinClients(t, d)
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{
		URL: d.ServerURL, Size: 2, AcquireTimeout: time.Minute, StatementTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	clients := []uuid.UUID{twins.acme, twins.globex}
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%3 == 0 {
				time.AfterFunc(time.Duration(i%17)*time.Millisecond, cancel)
			}
			rows := 0
			err := pool.ReadOnce(ctx, clients[i%2],
				postgres.Query{SQL: "SELECT client_id, $1::int FROM interviews", Args: []any{i}},
				func(_ context.Context, _ *postgres.Snapshot, found pgx.Rows) error {
					for found.Next() {
						var client uuid.UUID
						var mark int
						if err := found.Scan(&client, &mark); err != nil {
							return err
						}
						if client != clients[i%2] || mark != i {
							t.Errorf("query %d of %s gets %d of %s", i, clients[i%2], mark, client)
						}
						rows++
					}
					return found.Err()
				})
			if err == nil && rows != 1 || err != nil && ctx.Err() == nil {
				t.Errorf("query %d gets %d rows and %v", i, rows, err)
			}
		})
	}
	all.Wait()
	if err := pool.ReadOnce(t.Context(), twins.acme, postgres.Query{SQL: "SELECT"}, readAll); err != nil || pool.Waiting() != 0 {
		t.Errorf("afterwards %d wait, and a query gets %v", pool.Waiting(), err)
	}
	for end := time.Now().Add(time.Minute); pool.Stat().AcquiredConns() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d connections are never released", pool.Stat().AcquiredConns())
		}
	}
}

func readAll(_ context.Context, _ *postgres.Snapshot, rows pgx.Rows) error {
	for rows.Next() {
	}
	return rows.Err()
}
