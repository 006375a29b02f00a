package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// The page's cron line, run on the page's schema with the page's queries: twice, with
// a withdrawal in between.
func TestRun_TheImportPagesNightlySync(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	var sql []string
	for _, m := range regexp.MustCompile("(?s)```sql\n(.*?)\n```").FindAllStringSubmatch(string(page), -1) {
		sql = append(sql, m[1])
	}
	line := regexp.MustCompile(`15 3 \* \* \* clientintel (import .*)`).FindStringSubmatch(string(page))
	if len(sql) != 4 || line == nil {
		t.Fatalf("the page has %d blocks of SQL, want 4; its cron line: %q", len(sql), line)
	}
	source, target := dbtest.New(t), dbtest.New(t)
	source.Exec(t, "CREATE SCHEMA production")
	sourceURL := source.OwnerURL + map[bool]string{true: "&", false: "?"}[strings.Contains(source.OwnerURL, "?")] + "search_path=production"
	source.Exec(t, "SET search_path = production;"+sql[0]+`;
		INSERT INTO organizations VALUES ('11111111-1111-4111-8111-111111111111', 'acme', 'Acme');
		INSERT INTO studies VALUES ('21111111-1111-4111-8111-111111111111', '11111111-1111-4111-8111-111111111111', 'first', 'First', true, '2026-01-01 12:00:00');
		INSERT INTO sessions SELECT ('31111111-1111-4111-8111-00000000000' || n)::uuid, '11111111-1111-4111-8111-111111111111', '21111111-1111-4111-8111-111111111111',
			'Ada', 'ada@example.com', '2026-03-01 09:30:00.123456+01', 300, 9, E'[{"text":\n"hi"}]', '{"best_quote": "canary", "n": 1.50}', true, NULL
		FROM generate_series(1, 3) AS n;
		GRANT USAGE ON SCHEMA production TO PUBLIC;
		GRANT SELECT ON ALL TABLES IN SCHEMA production TO PUBLIC`)
	dir := t.TempDir()
	args := strings.Fields(strings.ReplaceAll(line[1], `"$SOURCE_URL"`, sourceURL))
	for n, name := range []string{"clients.sql", "campaigns.sql", "interviews.sql"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(sql[n+1]), 0o600); err != nil {
			t.Fatal(err)
		}
		for i := range args {
			if args[i] == name {
				args[i] = file
			}
		}
	}
	env := map[string]string{"DATABASE_URL": target.OwnerURL}
	run := func(want string) {
		t.Helper()
		if got := command(t, env, "", args...); got.code != exitDone || !strings.Contains(got.stderr, want) {
			t.Fatalf("got %+v, want %s", got, want)
		}
	}
	holds := func(want string) {
		t.Helper()
		var got string
		target.Query(t, &got, `SELECT format('%s interviews, %s documents, %s counted, %s', count(*),
				(SELECT count(*) FROM search_documents), (SELECT sum(members) FROM (SELECT members FROM measurement_states UNION ALL SELECT members FROM measurement_changes) AS m),
				min(custom_extraction::text || transcript::text || (created_at AT TIME ZONE 'UTC')::text))
			FROM interviews WHERE usable`)
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	content := `{"n": 1.50, "best_quote": "canary"}[{"text": "hi"}]2026-03-01 08:30:00.123456`
	run("interview 3 added, 0 changed, 0 unchanged")
	holds("3 interviews, 3 documents, 3 counted, " + content)
	source.Exec(t, "UPDATE production.sessions SET withdrawn = now() WHERE id = '31111111-1111-4111-8111-000000000002'")
	run("interview 0 added, 0 changed, 2 unchanged, 1 removed")
	holds("2 interviews, 2 documents, 2 counted, " + content)

	// A source that fails, and one that would mint keys.
	broken := filepath.Join(dir, "interviews.sql")
	if err := os.WriteFile(broken, []byte("SELECT 1/0 AS id"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := command(t, env, "", args...); got.code != exitFailed || !strings.Contains(got.stderr, "interviews.sql: ") || !strings.Contains(got.stderr, "division by zero") {
		t.Errorf("a broken query: %+v", got)
	}
	if got := command(t, env, "", append(args, "--with-keys")...); got.code != exitUsage || !strings.Contains(got.stderr, "keys are accepted from files and standard input only") {
		t.Errorf("keys from a query: %+v", got)
	}
	holds("2 interviews, 2 documents, 2 counted, " + content)
}
