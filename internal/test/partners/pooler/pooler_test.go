//go:build partners && linux

package pooler

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// base is built once for all tests.
var base *cluster.Base

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if base, err = cluster.Prepare(context.Background(), false); err != nil {
		fmt.Fprintln(os.Stderr, "preparing:", err)
		os.Exit(1)
	}
	code := m.Run()
	base.Close()
	os.Exit(code)
}

// settled is what docs/deployment.md asks of a login behind a pooler.
const settled = `ALTER ROLE ` + embedded.Login + ` SET TimeZone = 'UTC';
	ALTER ROLE ` + embedded.Login + ` SET jit = off;
	ALTER ROLE ` + embedded.Login + ` SET lock_timeout = '2s';
	ALTER ROLE ` + embedded.Login + ` SET idle_in_transaction_session_timeout = '60s'`

// Many callers of two clients share three server connections, which change hands
// after every transaction. Each is answered as without a pooler, from its own
// client's records, and each request is counted once.
func TestAnswersAreTheSame(t *testing.T) {
	pg := newPostgres(t)
	run(t, pg, settled)
	through := pooler(t, pg, embedded.Login, 3).URL(embedded.Login)
	direct := serve(t, pg, pg.URL(embedded.Login))
	pooled := serve(t, pg, through+"&default_query_exec_mode=cache_describe")

	for _, client := range []string{"acme", "globex"} {
		for _, path := range []string{
			"/interviews?limit=25", "/campaigns?limit=2", "/synthesis?limit=3",
			"/analytics/interviews?date_from=2000-01-01&date_to=2100-01-01", "/intelligence/search?q=the&limit=5",
		} {
			t.Run(client+path, func(t *testing.T) {
				t.Parallel()
				caller := cluster.NewCaller(4)
				defer caller.Close()
				want := walk(t, caller, direct, path, key(t, pg, client))
				if len(want) == 0 || len(want[0]) < 50 {
					t.Fatalf("nothing to compare: %s", want)
				}
				var all sync.WaitGroup
				for range 4 {
					asking := key(t, pg, client)
					all.Go(func() {
						got := walk(t, caller, pooled, path, asking)
						if strings.Join(got, "\n") != strings.Join(want, "\n") {
							t.Errorf("%d pages differ from the %d without a pooler: %.300s", len(got), len(want), got)
						}
						prefix, _, _ := strings.Cut(strings.TrimPrefix(asking, "cik_"), "_")
						if n := number(t, pg, `SELECT count(*) FROM request_log AS l JOIN api_keys AS k ON k.id = l.key_id WHERE k.prefix = $1`,
							prefix); n != len(got) {
							t.Errorf("%d requests were counted, %d were answered", n, len(got))
						}
					})
				}
				all.Wait()
			})
		}
	}
}

func newPostgres(t *testing.T) *cluster.Postgres {
	t.Helper()
	pg, err := base.NewPostgres(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pg.Crash)
	var file strings.Builder
	_, err = corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(0, -6, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{
			{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 300, Campaigns: 8, Synthesis: 10},
			{Slug: "globex", Mode: corpus.ModeCanonical, Interviews: 200, Campaigns: 4, Synthesis: 5},
		},
	})
	if err := errors.Join(err, base.Import(pg, file.String())); err != nil {
		t.Fatal(err)
	}
	return pg
}

func pooler(t *testing.T, pg *cluster.Postgres, login string, size int) *cluster.Pooler {
	t.Helper()
	program := cmp.Or(os.Getenv("PGBOUNCER"), "pgbouncer")
	if _, err := exec.LookPath(program); err != nil {
		program = "/usr/sbin/pgbouncer" // where Debian has it, and no user's PATH looks
	}
	x, err := base.NewPooler(t.Context(), program, pg, login, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Stop)
	return x
}

func serve(t *testing.T, pg *cluster.Postgres, through string) *cluster.Server {
	t.Helper()
	s, err := base.StartServer(t.Context(), through, "DATABASE_OWNER_URL="+pg.OwnerURL(), "CLIENTINTEL_RESPONSE_VALIDATION=enforce")
	if s != nil {
		t.Cleanup(s.Kill)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func key(t *testing.T, pg *cluster.Postgres, client string) string {
	t.Helper()
	keys, err := pg.IssueKeys(t.Context(), client, 1)
	if err != nil {
		t.Fatal(err)
	}
	return keys[0]
}

// walk reads a list to its end.
func walk(t *testing.T, caller *cluster.Caller, s *cluster.Server, path, key string) []string {
	t.Helper()
	pages, err := caller.Walk(t.Context(), s.URL, path, key)
	if err != nil {
		t.Error(err)
	}
	return pages
}

func number(t *testing.T, pg *cluster.Postgres, sql string, args ...any) int {
	t.Helper()
	conn, err := pg.Connect(t.Context())
	if err != nil {
		t.Error(err)
		return 0
	}
	defer conn.Close(context.Background())
	var n int
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Errorf("%s: %v", sql, err)
	}
	return n
}

func run(t *testing.T, pg *cluster.Postgres, sql string) {
	t.Helper()
	conn, err := pg.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}
