//go:build linux

package restore

import (
	"encoding/json"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/require"
)

// base is built once for all tests.
var base *cluster.Base

func TestMain(m *testing.M) { cluster.Main(m, &base, false) }

// A dump, taken and restored by either role that may, is the same service: its
// answers, its keys and what is left of their hour, its cursors.
func TestDumpIsRestored(t *testing.T) {
	t.Parallel()
	for name, role := range map[string]string{"by the owner": embedded.Owner, "by a superuser": embedded.Superuser} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lost := newPostgres(t)
			require.NoError(t, base.Import(lost, cluster.Records(t, 300)))
			keys := map[string]string{"acme": lost.Key(t, "acme"), "globex": lost.Key(t, "globex")}
			server := serve(t, lost.URL(embedded.Login), lost.OwnerURL())
			want := answers(t, server, keys)
			cursor, counted := begun(t, server, keys["acme"])

			dump := filepath.Join(lost.Dir, "clientintel.dump")
			options := []string{"--format=custom", "--file=" + dump, "--dbname=" + lost.URL(role)}
			if role == embedded.Owner {
				options = append(options, "--enable-row-security")
			}
			_, err := lost.Run(t.Context(), "pg_dump", options...)
			require.NoError(t, err)
			server.Kill()
			lost.Crash()

			// Another cluster, which has the roles and an empty database for it.
			found := newPostgres(t)
			found.Exec(t, "CREATE DATABASE restored OWNER "+embedded.Owner)
			into := found.URLOf(role, "restored")
			_, err = found.Run(t.Context(), "pg_restore", "--exit-on-error", "--dbname="+into, dump)
			require.NoError(t, err)
			owner := found.URLOf(embedded.Owner, "restored")
			checkRestored(t, owner)
			server = serve(t, found.URLOf(embedded.Login, "restored"), owner)
			if a := get(t, server, "/interviews?limit=3&starting_after="+url.QueryEscape(cursor), keys["acme"]); a.Status != 200 {
				t.Errorf("a cursor from before: status %d: %s", a.Status, a.Body)
			}
			if _, again := begun(t, server, keys["acme"]); again >= counted {
				t.Errorf("what is left of the hour was %d and is %d", counted, again)
			}
			wantSame(t, answers(t, server, keys), want)
		})
	}
}

// Rows alone, restored into a schema that is migrated already: pg_restore switches
// triggers off and leaves those on that it finds off, in another state than before.
// What doctor says repairs that, and the service is the same.
func TestDataIsRestoredIntoAMigratedSchema(t *testing.T) {
	t.Parallel()
	lost := newPostgres(t)
	require.NoError(t, base.Import(lost, cluster.Records(t, 300)))
	keys := map[string]string{"acme": lost.Key(t, "acme"), "globex": lost.Key(t, "globex")}
	server := serve(t, lost.URL(embedded.Login), lost.OwnerURL())
	want := answers(t, server, keys)
	dump := filepath.Join(lost.Dir, "clientintel.dump")
	if _, err := lost.Run(t.Context(), "pg_dump", "--format=custom", "--data-only", "--load-via-partition-root",
		"--exclude-table-data=goose_db_version", "--exclude-table-data=migration_hashes",
		"--file="+dump, "--dbname="+lost.URL(embedded.Superuser)); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	lost.Crash()

	found := newPostgres(t)
	if stdout, stderr, err := output(t, found.OwnerURL(), "migrate"); err != nil {
		t.Fatalf("migrating: %v: %s%s", err, stdout, stderr)
	}
	found.Exec(t, "TRUNCATE api_keys, server_secrets")
	if _, err := found.Run(t.Context(), "pg_restore", "--exit-on-error", "--data-only", "--disable-triggers",
		"--dbname="+found.URL(embedded.Superuser), dump); err != nil {
		t.Fatal(err)
	}
	if stdout, _, err := output(t, found.OwnerURL(), "doctor"); err == nil || !strings.Contains(stdout, "count_inserted_members on interviews") ||
		!strings.Contains(stdout, "clientintel measurement rebuild --all") {
		t.Errorf("doctor before the repair: %v: %s", err, stdout)
	}
	found.Exec(t, `DO $$ DECLARE statement text; BEGIN
		FOR statement IN SELECT format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', tgrelid::regclass, tgname) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'A' LOOP
			EXECUTE statement;
		END LOOP; END $$`)
	if stdout, stderr, err := output(t, found.OwnerURL(), "measurement", "rebuild", "--all"); err != nil {
		t.Fatalf("the repair: %v: %s%s", err, stdout, stderr)
	}
	checkRestored(t, found.OwnerURL())
	wantSame(t, answers(t, serve(t, found.URL(embedded.Login), found.OwnerURL()), keys), want)
}

// checkRestored runs what docs/deployment.md lists on a restored database.
func checkRestored(t *testing.T, owner string) {
	t.Helper()
	for _, args := range [][]string{{"migrate"}, {"measurement", "audit"}, {"doctor"}} {
		if stdout, stderr, err := output(t, owner, args...); err != nil {
			t.Errorf("clientintel %s: %v: %s%s", strings.Join(args, " "), err, stdout, stderr)
		}
	}
}

// output runs a command of the program as the owner.
func output(t *testing.T, owner string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	c, err := base.Start(owner, args...)
	require.NoError(t, err)
	return c.Output(time.Minute)
}

// answers are the responses by client and path.
func answers(t *testing.T, s *cluster.Server, keys map[string]string) map[string][]string {
	t.Helper()
	caller := cluster.NewCaller(2)
	defer caller.Close()
	told := map[string][]string{}
	for client, key := range keys {
		for _, path := range []string{
			"/interviews?limit=100", "/campaigns?limit=100", "/synthesis?limit=100",
			"/analytics/interviews?date_from=2000-01-01&date_to=2100-01-01", "/intelligence/search?q=the&limit=5",
		} {
			pages, err := caller.Walk(t.Context(), s.URL, path, key)
			if err != nil {
				t.Error(err)
			}
			told[client+path] = pages
		}
	}
	return told
}

func wantSame(t *testing.T, got, want map[string][]string) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(want)) {
		if len(want[what]) == 0 || !slices.Equal(got[what], want[what]) {
			t.Errorf("%s: %d pages differ from the %d before", what, len(got[what]), len(want[what]))
		}
	}
}

// begun asks for a first page: its cursor, and what it leaves of the hour.
func begun(t *testing.T, s *cluster.Server, key string) (string, int) {
	t.Helper()
	a := get(t, s, "/interviews?limit=3", key)
	var list struct {
		Meta struct {
			NextCursor string `json:"next_cursor"`
		}
	}
	if err := json.Unmarshal(a.Body, &list); err != nil || a.Status != 200 || list.Meta.NextCursor == "" {
		t.Fatalf("status %d, %v: %s", a.Status, err, a.Body)
	}
	left, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining"))
	require.NoError(t, err)
	return list.Meta.NextCursor, left
}

func get(t *testing.T, s *cluster.Server, path, key string) cluster.Response {
	t.Helper()
	caller := cluster.NewCaller(1)
	defer caller.Close()
	return caller.Get(t.Context(), s.URL, path, key)
}

func newPostgres(t *testing.T) *cluster.Postgres {
	t.Helper()
	pg, err := base.NewPostgres(t.Context(), "", map[string]string{"fsync": "on"}) // or the doctor objects
	require.NoError(t, err)
	t.Cleanup(pg.Crash)
	return pg
}

func serve(t *testing.T, login, owner string) *cluster.Server {
	t.Helper()
	return base.Serve(t, login, "DATABASE_OWNER_URL="+owner, "CLIENTINTEL_RESPONSE_VALIDATION=enforce")
}
