//go:build linux

package resilience

import (
	"context"
	"encoding/json"
	"flag"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// base is built once for all tests.
var base *cluster.Base

func TestMain(m *testing.M) {
	// They wait more than they work.
	flag.Parse()
	_ = flag.Set("test.parallel", "6")
	cluster.Main(m, &base, raced)
}

// statementTimeout is shorter than the default of ten seconds, so that tests are too.
const statementTimeout = "CLIENTINTEL_STATEMENT_TIMEOUT=2s"

// environment is a database with the clients acme and globex, both canonical.
type environment struct {
	*cluster.Postgres
	caller *cluster.Caller
}

func setup(t *testing.T, settings map[string]string) *environment {
	t.Helper()
	return setupWith(t, base, settings)
}

// setupWith makes the database with a base's program and its schema.
func setupWith(t *testing.T, of *cluster.Base, settings map[string]string) *environment {
	t.Helper()
	pg, err := of.NewPostgres(t.Context(), "", settings)
	require.NoError(t, err)
	w := &environment{Postgres: pg, caller: cluster.NewCaller(400)}
	t.Cleanup(func() { w.caller.Close(); pg.Crash() })
	require.NoError(t, of.Import(pg, cluster.Records(t, 300)))
	return w
}

// serve starts a server on the database, or through another URL.
func (w *environment) serve(t *testing.T, url string, env ...string) *cluster.Server {
	t.Helper()
	return base.Serve(t, url, append([]string{statementTimeout, "CLIENTINTEL_RESPONSE_VALIDATION=enforce"}, env...)...)
}

func (w *environment) keys(t *testing.T, client string, n int) []string {
	t.Helper()
	keys, err := w.IssueKeys(t.Context(), client, n)
	require.NoError(t, err)
	return keys
}

// holdTransaction runs a statement in a transaction that stays open until release.
func (w *environment) holdTransaction(t *testing.T, sql string) (release func()) {
	t.Helper()
	conn := dbtest.Connect(t, w.URL(embedded.Superuser))
	dbtest.Exec(t, conn, "BEGIN")
	dbtest.Exec(t, conn, sql)
	return func() { _, _ = conn.Exec(context.Background(), "ROLLBACK") }
}

// wantCorrectCounts compares the server's totals with the tables, and runs the program's
// audit.
func (w *environment) wantCorrectCounts(t *testing.T, s *cluster.Server) {
	t.Helper()
	for _, client := range []string{"acme", "globex"} {
		key := w.Key(t, client)
		want := w.Number(t, "SELECT count(*) FROM usable_interviews AS i JOIN clients AS c ON c.id = i.client_id WHERE c.slug = $1", client)
		var list struct {
			Meta struct {
				Total int `json:"measurement_total_count"`
			}
		}
		a := w.caller.Get(t.Context(), s.URL, "/interviews?limit=1", key)
		if err := json.Unmarshal(a.Body, &list); err != nil || a.Status != 200 || list.Meta.Total != want {
			t.Errorf("%s: status %d, total %d of %d usable interviews, %v", client, a.Status, list.Meta.Total, want, err)
		}
		var window struct{ Data struct{ Total int } }
		a = w.caller.Get(t.Context(), s.URL, "/analytics/interviews?date_from=2000-01-01&date_to=2100-01-01", key)
		if err := json.Unmarshal(a.Body, &window); err != nil || a.Status != 200 || window.Data.Total != want {
			t.Errorf("%s: status %d, analytics count %d of %d usable interviews, %v", client, a.Status, window.Data.Total, want, err)
		}
	}
	c, err := base.Start(w.OwnerURL(), "measurement", "audit")
	require.NoError(t, err)
	if stdout, stderr, err := c.Output(time.Minute); err != nil {
		t.Errorf("the audit: %v: %s%s", err, stdout, stderr)
	}
}

// awaitReady waits until the server is ready again and answers a request.
func (w *environment) awaitReady(t *testing.T, s *cluster.Server, key string) time.Duration {
	t.Helper()
	began := time.Now()
	for time.Since(began) < recovery {
		if ready, _ := s.Ready(t.Context()); ready {
			if a := w.caller.Get(t.Context(), s.URL, "/interviews?limit=1", key); a.Status == 200 {
				return time.Since(began)
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no recovery within %s; the log ends: %s", recovery, s.Logs())
	return 0
}

// recovery is how long the server may take to recover once its database is back.
const recovery = 20 * time.Second

// wantUnready wants /readyz to refuse in time.
func wantUnready(t *testing.T, s *cluster.Server) {
	t.Helper()
	ready, took := s.Ready(t.Context())
	if ready {
		t.Error("/readyz says that the server is ready")
	}
	if took > 4*time.Second {
		t.Errorf("/readyz took %s", took)
	}
}
