//go:build linux

package resilience

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
)

// A server killed in mid-migration, at every migration in turn, and a database
// that crashes in one: the next start goes on where the last complete migration
// ended, and the schema comes out the same.
func TestMigrationIsKilled(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	url := w.emptyDatabase(t, "fresh")
	want := w.schema(t, embedded.Database)
	all := w.number(t, "SELECT count(*) FROM goose_db_version")
	for n := range all {
		s, err := base.LaunchServer(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		for !s.Ended() && w.versions(t) < n {
			time.Sleep(time.Millisecond)
		}
		if n == all/2 {
			w.Crash()
		}
		s.Kill()
		if n == all/2 {
			if err := w.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.serve(t, url)
	wantSame(t, w.schema(t, "fresh"), want)
}

// wantSame wants two schemas to be the same text, and names the lines that are not in both.
func wantSame(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	t.Error("the schema is not the same")
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	logMissing(t, "it has", gotLines, wantLines)
	logMissing(t, "it lacks", wantLines, gotLines)
}

func logMissing(t *testing.T, how string, of, from []string) {
	t.Helper()
	for _, line := range of {
		if !slices.Contains(from, line) {
			t.Logf("%s: %s", how, line)
		}
	}
}

func (w *environment) emptyDatabase(t *testing.T, name string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.URL(embedded.Superuser))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), fmt.Sprintf("CREATE DATABASE %s OWNER %s", name, embedded.Owner)); err != nil {
		t.Fatal(err)
	}
	return w.URLOf(embedded.Owner, name)
}

// versions counts the migrations that are complete in the fresh database.
func (w *environment) versions(t *testing.T) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.URLOf(embedded.Superuser, "fresh"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var n int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM goose_db_version").Scan(&n); err != nil {
		return 0 // not even that table
	}
	return n
}

// schema is everything that migrations make, as text. The days of the logs are
// made by a server, some time after its start.
func (w *environment) schema(t *testing.T, database string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.URLOf(embedded.Superuser, database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var text string
	if err := conn.QueryRow(t.Context(), `SELECT string_agg(s.line, E'\n' ORDER BY s.line COLLATE "C") FROM (
		SELECT format('column %s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) AS line
		FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT pg_get_viewdef(c.oid) FROM pg_class AS c WHERE c.relkind = 'v' AND c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT format('grants %s %s', c.relname, c.relacl) FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT format('%s %s %s', p.oid::regprocedure, p.proacl, p.prosrc) FROM pg_proc AS p WHERE p.pronamespace = 'public'::regnamespace
		UNION ALL SELECT format('%s %s', t.tgrelid::regclass, pg_get_triggerdef(t.oid)) FROM pg_trigger AS t WHERE NOT t.tgisinternal
		UNION ALL SELECT format('%s %s %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) FROM pg_constraint AS c
			WHERE c.connamespace = 'public'::regnamespace
		UNION ALL SELECT format('policy %s %s %s', p.tablename, p.policyname, p.qual) FROM pg_policies AS p
		UNION ALL SELECT format('migration %s %s', g.version_id, g.is_applied) FROM goose_db_version AS g) AS s
		WHERE s.line !~ 'request_(log|statuses)_2[0-9]{7}'`).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}
