package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// writeProgram writes a file that can be run at once. A process that a parallel test
// starts meanwhile would hold it open for writing, and the kernel runs no such file.
func writeProgram(t *testing.T, path, content string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// shell runs a line as cron does: in the home directory, with cron's PATH unless env
// has another. The home directory stands for /usr/local/bin.
func shell(t *testing.T, home, line, stdin string, env ...string) (int, string) {
	t.Helper()
	installed := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asProgram, os.Args[0])
	writeProgram(t, filepath.Join(home, "clientintel"), installed)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", line)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	for _, e := range env {
		cmd.Env = append(cmd.Env, strings.Replace(e, "/usr/local/bin", home, 1))
	}
	cmd.Stdin = strings.NewReader(stdin)
	told, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(told)
}

// The page's crontab, run as cron runs it, on the page's schema with the page's
// queries: twice, with a withdrawal in between that every route follows at once.
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
	crontab := regexp.MustCompile(`(?m)^((?:PATH=\S+\n)?)SOURCE_URL=\S+\nDATABASE_URL=\S+\n15 3 \* \* \* (clientintel import .*)$`).FindStringSubmatch(string(page))
	if len(sql) != 4 || crontab == nil {
		t.Fatalf("the page has %d blocks of SQL, want 4; its crontab: %q", len(sql), crontab)
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
	home := t.TempDir()
	for n, name := range []string{"clients.sql", "campaigns.sql", "interviews.sql"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(sql[n+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cron := func(line string) (int, string) {
		t.Helper()
		return shell(t, home, line, "", append(strings.Fields(crontab[1]), "SOURCE_URL="+sourceURL, "DATABASE_URL="+target.OwnerURL)...)
	}
	run := func(want string) {
		t.Helper()
		if code, told := cron(crontab[2]); code != exitDone || !strings.Contains(told, want) {
			t.Fatalf("exit code %d and %s, want %s", code, told, want)
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
	env := map[string]string{"DATABASE_URL": target.OwnerURL}
	cutOver := []string{"measurement", "cutover", "--client", "acme", "--contract-version", "canonical_measurement.v1"}
	if got := command(t, env, "", cutOver...); got.code != exitDone {
		t.Fatalf("cutover: %+v", got)
	}
	var issued struct{ Key string }
	if got := command(t, env, "", "keys", "issue", "--client", "acme", "--name", "x", "--json", "--scopes", "read:interviews_metadata,read:custom_extraction"); json.Unmarshal([]byte(got.stdout), &issued) != nil {
		t.Fatalf("keys issue: %+v", got)
	}
	server := startServer(t, target.OwnerURL)
	answersHave := func(want int) {
		t.Helper()
		for _, path := range []string{"/interviews", "/intelligence/search?q=CANARY", "/analytics/interviews?date_from=2026-03-01&date_to=2026-03-01"} {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.address+"/api/client/v1"+path, nil)
			req.Header.Set("Authorization", "Bearer "+issued.Key)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			var answer struct {
				Meta struct {
					Count int
					Total int `json:"measurement_total_count"`
				}
			}
			err = json.NewDecoder(res.Body).Decode(&answer)
			_ = res.Body.Close()
			if err != nil || res.StatusCode != http.StatusOK || answer.Meta.Count != want || answer.Meta.Total != want {
				t.Errorf("%s: status %d, %+v (%v), want %d of each", path, res.StatusCode, answer, err, want)
			}
		}
	}
	answersHave(3)
	source.Exec(t, "UPDATE production.sessions SET withdrawn = now() WHERE id = '31111111-1111-4111-8111-000000000002'")
	run("interview 0 added, 0 changed, 2 unchanged, 1 removed")
	holds("2 interviews, 2 documents, 2 counted, " + content)
	answersHave(2)

	// A source that fails, and one that would mint keys.
	broken := filepath.Join(home, "interviews.sql")
	if err := os.WriteFile(broken, []byte("SELECT 1/0 AS id"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, told := cron(crontab[2]); code != exitFailed || !strings.Contains(told, "interviews.sql: ") || !strings.Contains(told, "division by zero") {
		t.Errorf("a broken query: exit code %d and %s", code, told)
	}
	if code, told := cron(crontab[2] + " --with-keys"); code != exitFailed || !strings.Contains(told, "keys are accepted from files and standard input only") {
		t.Errorf("keys from a query: exit code %d and %s", code, told)
	}
	holds("2 interviews, 2 documents, 2 counted, " + content)
}
