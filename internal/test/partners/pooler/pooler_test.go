//go:build partners && linux

package pooler

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/doctor"
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

// A server that would break a promise behind the pooler does not start, and says
// what to change.
func TestWhatWouldBreakIsRefused(t *testing.T) {
	pg := newPostgres(t)
	refused := func(url, want string) {
		t.Helper()
		if f := serverLogin(t, pg, url); f.State != doctor.Wrong || !strings.Contains(f.Message, want) {
			t.Errorf("the doctor says %+v; want %q", f, want)
		}
		c, err := base.Start(url, "serve", "--no-migrate", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if _, stderr, err := c.Output(time.Minute); err == nil || !strings.Contains(stderr, want) {
			t.Errorf("the server says %q, %v; want %q", stderr, err, want)
		}
	}
	const mode = "&default_query_exec_mode=cache_describe"
	refused(pooler(t, pg, embedded.Owner, 2).URL(embedded.Owner)+mode, "give the server a login of its own")
	refused(pooler(t, pg, embedded.Login, 2).URL(embedded.Login)+mode, `ALTER ROLE "`+embedded.Login+`" SET jit = off`)
	run(t, pg, `ALTER ROLE `+embedded.Login+` NOINHERIT`)
	refused(pooler(t, pg, embedded.Login, 2).URL(embedded.Login)+mode, "must inherit")
	run(t, pg, `ALTER ROLE `+embedded.Login+` INHERIT;`+settled)

	through := pooler(t, pg, embedded.Login, 1).URL(embedded.Login) + mode
	if f := serverLogin(t, pg, through); f.State != doctor.OK || !strings.Contains(f.Message, "a pooler is in between") {
		t.Errorf("the doctor says %+v of a pooler that is set up", f)
	}
	// With the server's login alone; whoever has the connection next has no role of the doctor's.
	doctor.Examine(t.Context(), doctor.Database{OwnerURL: through, ServerURL: through}, func(f doctor.Finding) {
		if f.Name == "schema/triggers" && f.State != doctor.OK || strings.Contains(f.Message, "could not be examined") {
			t.Errorf("through the pooler: %+v", f)
		}
	})
	next, err := pgx.Connect(t.Context(), through)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close(context.Background())
	var role string
	if err := next.QueryRow(t.Context(), "SELECT current_user").Scan(&role); err != nil || role != embedded.Login {
		t.Errorf("the pooler's next caller is %s, %v", role, err)
	}

	// Without the mode, a pooler that renames prepared statements serves, and
	// any other is refused.
	x := pooler(t, pg, embedded.Login, 2)
	if follows(t, x) {
		serve(t, pg, x.URL(embedded.Login))
		return
	}
	refused(x.URL(embedded.Login), "default_query_exec_mode=cache_describe")
}

// serverLogin is what the doctor says of the server's login at a URL.
func serverLogin(t *testing.T, pg *cluster.Postgres, url string) (found doctor.Finding) {
	t.Helper()
	doctor.Examine(t.Context(), doctor.Database{OwnerURL: pg.OwnerURL(), ServerURL: url}, func(f doctor.Finding) {
		if f.Name == "roles/server_login" {
			found = f
		}
	})
	return found
}

// follows reports whether the pooler knows the setting max_prepared_statements.
func follows(t *testing.T, x *cluster.Pooler) bool {
	t.Helper()
	u, err := url.Parse(x.URL(embedded.Login))
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/pgbouncer"
	config, err := pgx.ParseConfig(u.String())
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.PgConn().Exec(t.Context(), "SHOW CONFIG").ReadAll()
	if err != nil || len(results) == 0 {
		t.Fatalf("the pooler's settings: %v", err)
	}
	for _, row := range results[0].Rows {
		if string(row[0]) == "max_prepared_statements" {
			return string(row[1]) != "0"
		}
	}
	return false
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
