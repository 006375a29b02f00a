//go:build distributed && linux

package distributed

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

var remoteCommand = regexp.MustCompile(`(?m)^DETAIL:  on server \S+@127\.0\.0\.1:(\d+)|DETAIL:  on server \S+@127\.0\.0\.1:(\d+)`)

// Citus's own log has which workers an answer was read from: one, the client's.
func TestAnswer_IsReadFromOneWorker(t *testing.T) {
	t.Parallel()
	on := ownNodes(t)
	e := setupOn(t, on)
	dbtest.Exec(t, e.on(t, on.Coordinator), fmt.Sprintf("ALTER DATABASE %s SET citus.log_remote_commands = on", e.name))
	s := e.serve(t)
	log := filepath.Join(on.Coordinator.Dir, "postgres.log")
	for _, c := range []client{e.east, e.west} {
		for _, path := range e.readsOf(t, c) {
			// Maintenance asks every worker now and then: only this client's reads count.
			began := size(t, log)
			e.data(t, s, path, c.key)
			text := tail(t, log, began)
			touched := map[string]bool{}
			for _, entry := range strings.Split(text, "NOTICE:  issuing ") {
				if m := remoteCommand.FindStringSubmatch(entry); m != nil && strings.Contains(entry, "clientintel_server@") {
					touched[m[1]+m[2]] = true
				}
			}
			if len(touched) != 1 || !touched[c.worker.Port()] {
				t.Errorf("%s was read from %v, and its client lies on %s", path, touched, c.worker.Port())
			}
		}
	}
}

// With one worker down, its clients are refused for the time being, and nothing changes
// for the others.
func TestWorkerDown_OthersAreAnswered(t *testing.T) {
	t.Parallel()
	on := ownNodes(t)
	e := setupOn(t, on)
	s := e.serve(t)
	paths := e.readsOf(t, e.east)
	before := map[string]string{}
	for _, path := range paths {
		before[path] = e.data(t, s, path, e.east.key)
	}
	e.data(t, s, "/interviews?limit=1", e.west.key)
	e.west.worker.Stop()
	for range 3 {
		for _, path := range paths {
			check.Equal(t, e.data(t, s, path, e.east.key), before[path], path)
		}
		for _, path := range reads {
			a := e.caller.Get(t.Context(), s.URL, path, e.west.key)
			if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
				t.Errorf("%s of a client whose worker is down: status %d, Retry-After %q: %s", path, a.Status, a.Header.Get("Retry-After"), a.Body)
			}
		}
	}
	if ready, _ := s.Ready(t.Context()); !ready {
		t.Error("/readyz takes the server out of service, though the other worker's clients are answered")
	}
	if another := e.serve(t); e.data(t, another, paths[0], e.east.key) != before[paths[0]] {
		t.Error("a server that starts now answers another")
	}
	_, err := base.Run(e.ownerURL(), interviewLine(e.west.id, uuid.NewString())+interviewLine(e.east.id, uuid.NewString()), "import", "-")
	if err == nil || !strings.Contains(err.Error(), e.west.worker.Port()) || !strings.Contains(err.Error(), "nothing was imported") {
		t.Errorf("an import that needs the worker that is down: %v", err)
	}
	require.NoError(t, e.west.worker.Start(t.Context()))
	end := time.Now().Add(20 * time.Second)
	for healthy := 0; healthy < 20; {
		if a := e.caller.Get(t.Context(), s.URL, "/interviews?limit=1", e.west.key); a.Status == http.StatusOK {
			healthy++
		} else if healthy = 0; time.Now().After(end) {
			t.Fatalf("the worker is back, and its client still gets %d: %s", a.Status, a.Body)
		}
	}
	for _, path := range paths {
		check.Equal(t, e.data(t, s, path, e.east.key), before[path], path)
	}
}

// Row-level security holds on the workers: a query that forgets its client shows the
// transaction's client alone, and nothing where none is set.
func TestRowLevelSecurity_HoldsOnWorkers(t *testing.T) {
	t.Parallel()
	e := setup(t)
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{URL: e.serverURL(), Size: 2, AcquireTimeout: time.Minute})
	require.NoError(t, err)
	defer pool.Close()
	tables := []string{"clients", "campaigns", "lanes", "interviews", "usable_interviews", "synthesis_documents", "visible_synthesis_documents",
		"portal_documents", "visible_portal_documents", "measurement_snapshots", "measurement_states", "search_documents", "searched_interviews"}
	for _, table := range tables {
		column := "client_id"
		if table == "clients" {
			column = "id"
		}
		distinct := fmt.Sprintf("SELECT coalesce(array_agg(DISTINCT r.%[1]s::text), '{}') FROM %[2]s AS r", column, table)
		var seen []string
		if err := pool.QueryRow(t.Context(), distinct).Scan(&seen); err != nil || len(seen) > 0 {
			t.Errorf("%s without a client: %v, %v", table, seen, err)
		}
		for _, c := range []client{e.east, e.west} {
			var all int
			e.query(t, &all, fmt.Sprintf("SELECT count(*) FROM %s AS r WHERE r.%s = $1::uuid", table, column), c.id)
			err := pool.Read(t.Context(), postgres.Reading{ClientID: uuid.MustParse(c.id)}, func(ctx context.Context, s *postgres.Snapshot) error {
				return s.QueryRow(ctx, distinct).Scan(&seen)
			})
			if want := []string{c.id}[:min(all, 1)]; err != nil || !slices.Equal(seen, want) {
				t.Errorf("%s, by a query that forgets its client, shows %v, want %v: %v", table, seen, want, err)
			}
		}
	}
	// The worker itself shows the role nothing either, in its shards.
	conn := e.on(t, e.east.worker)
	var shard string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT 'interviews_' || get_shard_id_for_distribution_column('interviews', $1::uuid)", e.east.id).Scan(&shard))
	var owned, seen int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+shard).Scan(&owned); err != nil || owned == 0 {
		t.Fatalf("the shard holds %d rows, %v", owned, err)
	}
	dbtest.Exec(t, conn, "SET ROLE clientintel_server")
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+shard).Scan(&seen); err != nil || seen != 0 {
		t.Errorf("on the worker, the server's role sees %d of %d rows of a shard: %v", seen, owned, err)
	}
}

// A row that is written between a response's statements is in none of its numbers,
// search included; the next response has it in all of them.
func TestSnapshot_IsOne(t *testing.T) {
	t.Parallel()
	e := setup(t)
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{URL: e.serverURL(), Size: 2, AcquireTimeout: time.Minute})
	require.NoError(t, err)
	defer pool.Close()
	client := uuid.MustParse(e.west.id)
	writer := e.owner(t)
	type numbers struct {
		total, listed      int64
		newest, everything int
	}
	read := func(ctx context.Context, s *postgres.Snapshot) (n numbers) {
		require.NoError(t, s.QueryRow(ctx, "SELECT count(*) FROM usable_interviews AS i WHERE i.client_id = $1", client).Scan(&n.listed))
		n.total = *s.Measurement.Members
		newest, err := s.Queries().ListNewestSearchHits(ctx, db.ListNewestSearchHitsParams{ClientID: client, Query: "zebraquagga", MaxHits: 50, MaxRows: 10000})
		require.NoError(t, err)
		all, err := s.Queries().ListSearchHits(ctx, db.ListSearchHitsParams{ClientID: client, Query: "zebraquagga", MaxHits: 50})
		require.NoError(t, err)
		n.newest, n.everything = len(newest), len(all)
		return n
	}
	var during, after numbers
	moment := time.Now()
	err = pool.Read(t.Context(), postgres.Reading{ClientID: client}, func(ctx context.Context, s *postgres.Snapshot) error {
		dbtest.Exec(t, writer, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, best_quote)
			VALUES ($1, gen_random_uuid(), now(), 'completed', 'passed', true, true, 'a zebraquagga')`, client)
		during = read(ctx, s)
		if s.AsOf.Before(moment.Add(-time.Second)) || s.AsOf.After(time.Now().Add(time.Second)) {
			t.Errorf("the snapshot is of %s, taken at %s", s.AsOf, moment)
		}
		return nil
	})
	if err == nil {
		err = pool.Read(t.Context(), postgres.Reading{ClientID: client}, func(ctx context.Context, s *postgres.Snapshot) error {
			after = read(ctx, s)
			return nil
		})
	}
	require.NoError(t, err)
	if during.total != during.listed || during.newest != 0 || during.everything != 0 {
		t.Errorf("in the snapshot from before the write: %+v", during)
	}
	if want := (numbers{during.total + 1, during.listed + 1, 1, 1}); after != want {
		t.Errorf("in the snapshot after it: %+v, want %+v", after, want)
	}
}

// ownNodes are machines of the test's own, to stop them and to read their logs.
func ownNodes(t *testing.T) *cluster.Nodes {
	t.Helper()
	own, err := base.NewNodes(t.Context(), 2, small)
	require.NoError(t, err)
	t.Cleanup(own.Stop)
	return own
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Size()
}

func tail(t *testing.T, path string, from int64) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text[from:])
}

func interviewLine(client, id string) string {
	return `{"kind":"interview","id":` + strconv.Quote(id) + `,"client_id":` + strconv.Quote(client) +
		`,"created_at":"2026-01-01T00:00:00Z","status":"completed","quality":"passed","reportable":true,"client_safe":true}` + "\n"
}
