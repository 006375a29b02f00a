//go:build partners && linux

package pooler

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// settled is what docs/deployment.md asks of a login behind a pooler.
var settled = []string{"TimeZone = 'UTC'", "jit = off", "lock_timeout = '2s'", "idle_in_transaction_session_timeout = '60s'"}

// Many callers of two clients share three server connections, which change hands
// after every transaction. Each is answered as without a pooler, from its own
// client's records, and each request is counted once.
func TestAnswersAreTheSame(t *testing.T) {
	t.Parallel()
	direct, seed := apitest.Start(t)
	for _, client := range []string{"acme", "globex"} {
		for n := range 40 {
			at := apitest.At("2026-03-01").Add(time.Duration(n) * time.Minute)
			seed.Campaign(t, client, apitest.Fields{"created_at": at, "goal": client})
			seed.Interview(t, client, apitest.Fields{"created_at": at, "best_quote": client + " is late"})
		}
	}
	database := *direct.Database
	database.ServerURL = pooler(t, direct.Database)
	pooled := *direct
	pooled.Database = &database
	pooled.URL = pooled.StartAnother(t)

	var all sync.WaitGroup
	for _, client := range []string{"acme", "globex"} {
		for _, path := range []string{
			"/interviews?limit=7", "/campaigns?limit=7", "/analytics/interviews?date_from=2026-02-01&date_to=2026-04-01", "/intelligence/search?q=late",
		} {
			want := walk(t, direct, path, issue(t, direct, client))
			if len(want[0]) < 50 {
				t.Fatalf("nothing to compare: %s", want)
			}
			for range 3 {
				key := issue(t, direct, client)
				all.Go(func() {
					if got := walk(t, &pooled, path, key); strings.Join(got, "\n") != strings.Join(want, "\n") {
						t.Errorf("%s: %d pages differ from the %d without a pooler: %.300s", path, len(got), len(want), got)
					}
					last := pooled.Get(t, "/api/client/v1"+path, key).Header.Get("X-RateLimit-Remaining")
					if left := fmt.Sprint(600 - len(want)); last != left {
						t.Errorf("%s: %s requests remain, want %s", path, last, left)
					}
				})
			}
		}
	}
	all.Wait()
}

// pooler starts PgBouncer in front of a database and returns the URL that leads through it.
func pooler(t *testing.T, d *dbtest.Database) string {
	t.Helper()
	to, err := pgx.ParseConfig(d.ServerURL)
	require.NoError(t, err)
	for _, setting := range settled {
		d.Exec(t, fmt.Sprintf("ALTER ROLE %s IN DATABASE %s SET %s", to.User, d.Name, setting))
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	password := ""
	if to.Password != "" {
		password = " password=" + to.Password
	}
	address := free.Addr().(*net.TCPAddr)
	_ = free.Close()
	text := fmt.Sprintf(`[databases]
%s = host=%s port=%d user=%s%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 500
`, d.Name, to.Host, to.Port, to.User, password, address.Port)
	file := filepath.Join(t.TempDir(), "pgbouncer.ini")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	args := []string{file}
	if os.Geteuid() == 0 { // which it refuses
		args = append(args, "-u", "postgres")
	}
	program := "pgbouncer"
	if _, err := exec.LookPath(program); err != nil {
		program = "/usr/sbin/pgbouncer" // where Debian has it, and no user's PATH looks
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start(), program)
	t.Cleanup(func() { _ = cmd.Wait() })
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address.String()); err == nil {
			_ = conn.Close()
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable&default_query_exec_mode=cache_describe", to.User, address, d.Name)
}

func issue(t *testing.T, s *apitest.Server, client string) string {
	t.Helper()
	return s.Issue(t, apikey.Request{Client: client, Name: "test", Scopes: auth.All()}).Key
}

// walk reads the data of a list to its end.
func walk(t *testing.T, s *apitest.Server, path, key string) (pages []string) {
	t.Helper()
	path = "/api/client/v1" + path
	for next := path; ; {
		answer := s.Get(t, next, key).WantStatus(t, 200)
		var body struct {
			Data json.RawMessage
			Meta struct {
				NextCursor string `json:"next_cursor"`
			}
		}
		answer.Decode(t, &body)
		pages = append(pages, string(body.Data))
		if body.Meta.NextCursor == "" {
			return pages
		}
		next = path + "&starting_after=" + url.QueryEscape(body.Meta.NextCursor)
	}
}
