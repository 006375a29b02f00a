//go:build distributed && linux

package distributed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
)

// What an input lacks is removed, of the clients named or of all, and of no other.
func TestReplacing_LeavesWhatTheInputHolds(t *testing.T) {
	t.Parallel()
	e := setup(t)
	east, west := e.exported(t, e.east), e.exported(t, e.west)
	var less []string
	for i, line := range east {
		if !strings.Contains(line, `"kind":"interview"`) || i%2 == 0 {
			less = append(less, line)
		}
	}
	e.importText(t, strings.Join(less, "\n"), "--replace-client", e.east.slug, "--max-removed", "100%")
	if now := e.exported(t, e.east); !slices.Equal(now, less) {
		t.Errorf("the input held %d records, and %d are there", len(less), len(now))
	}
	if now := e.exported(t, e.west); !slices.Equal(now, west) {
		t.Error("records of a client that was not named have changed")
	}
	e.run(t, "measurement", "audit")

	e.importText(t, strings.Join(slices.Concat(east, less[:1], west), "\n"), "--replace-client", "east", "--replace-client", "west", "--max-removed", "100%")
	for _, c := range []struct {
		client
		want []string
	}{{e.east, east}, {e.west, west}} {
		if now := e.exported(t, c.client); !slices.Equal(now, c.want) {
			t.Errorf("%s: the input held %d records, and %d are there", c.slug, len(c.want), len(now))
		}
	}
	var others int
	e.query(t, &others, "SELECT count(*) FROM interviews AS i WHERE i.client_id NOT IN ($1::uuid, $2::uuid)", e.east.id, e.west.id)
	if others > 0 {
		t.Errorf("%d interviews are left of clients of which the input held none", others)
	}
	e.run(t, "measurement", "audit")
}

// exported are a client's records as clients export writes them, without the trailer.
func (e *environment) exported(t *testing.T, c client) []string {
	t.Helper()
	stdout, stderr, err := e.try(t, "clients", "export", c.slug)
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	slices.Sort(lines)
	return slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, `"kind":"end"`) })
}

// A sync that replaces everything from another database, killed at whatever moment,
// leaves all of its records on both workers, or those of before.
func TestSync_KilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	e := setup(t)
	const rows = 300
	sync := func(quote string) []string {
		// Each row a moment, so that it can be killed while it reads.
		query := fmt.Sprintf(`SELECT 'interview' AS kind, md5(c.id || n.n)::uuid AS id, c.id AS client_id, '2026-01-01T00:00:00Z' AS created_at, 'completed' AS status,
				'passed' AS quality, true AS reportable, true AS client_safe, '%s' AS best_quote
			FROM generate_series(%d, %d) AS n (n), unnest(ARRAY['%s', '%s']) AS c (id)
			WHERE pg_sleep(0.001) IS NOT NULL`, quote, len(quote)*100, len(quote)*100+rows-1, e.east.id, e.west.id)
		file := filepath.Join(t.TempDir(), "query.sql")
		if err := os.WriteFile(file, []byte(query), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"import", "--from-postgres", e.Coordinator.URLOf(embedded.Superuser, "postgres"), "--query", file, "--replace-client", "east", "--replace-client", "west", "--max-removed", "100%"}
	}
	quotes := []string{"a", "bb"}
	e.run(t, sync(quotes[0])...)
	state := func() (now string) {
		e.query(t, &now, "SELECT string_agg(format('%s %s', s.best_quote, s.rows), ', ') FROM (SELECT i.best_quote, count(*) AS rows FROM interviews AS i GROUP BY 1) AS s")
		return now
	}
	whole := func(quote string) string { return fmt.Sprintf("%s %d", quote, 2*rows) }
	before := 0
	for i := range 10 {
		next := 1 - before
		c, err := base.Start(e.ownerURL(), sync(quotes[next])...)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 400 * time.Millisecond)
		c.Signal(syscall.SIGKILL)
		_, _, _ = c.Output(time.Minute)
		e.awaitNoTransaction(t)
		switch now := state(); now {
		case whole(quotes[next]):
			before = next
		case whole(quotes[before]):
		default:
			t.Errorf("killed after %d ms: %s, want %s or %s", i*400, now, whole(quotes[before]), whole(quotes[next]))
		}
	}
	e.run(t, sync(quotes[1-before])...)
	if now := state(); now != whole(quotes[1-before]) {
		t.Errorf("after a sync that was not killed: %s", now)
	}
	e.run(t, "measurement", "audit")
}

// awaitNoTransaction waits until the database has noticed that an importer is gone,
// and no part of its transaction is left on a worker.
func (e *environment) awaitNoTransaction(t *testing.T) {
	t.Helper()
	var running int
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		e.query(t, &running, `SELECT count(*) FROM pg_stat_activity AS a
			WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.usename = current_user AND a.xact_start IS NOT NULL AND a.backend_type = 'client backend'`)
		if running == 0 {
			exec(t, e.on(t, e.Coordinator), "SELECT recover_prepared_transactions()")
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d transactions go on", running)
		}
	}
}

// A client is exported with its keys, purged and imported again: it is as it was, its
// key works, and the others did not notice.
func TestClients_ExportPurgeImport(t *testing.T) {
	t.Parallel()
	e := setup(t)
	s := e.serve(t)
	paths := e.readsOf(t, e.west)
	before, beside := map[string]string{}, e.exported(t, e.east)
	for _, path := range paths {
		before[path] = e.data(t, s, path, e.west.key)
	}
	export, stderr, err := e.try(t, "clients", "export", e.west.slug, "--with-keys")
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	e.run(t, "clients", "purge", e.west.slug, "--yes")
	var left int
	e.query(t, &left, `SELECT (SELECT count(*) FROM interviews AS i WHERE i.client_id = $1) + (SELECT count(*) FROM search_documents AS d WHERE d.client_id = $1)
		+ (SELECT count(*) FROM api_keys AS k WHERE k.client_id = $1)`, e.west.id)
	if left > 0 {
		t.Errorf("%d rows are left of a client that was purged", left)
	}
	if a := e.caller.Get(t.Context(), s.URL, "/interviews", e.west.key); a.Status != http.StatusUnauthorized {
		t.Errorf("the key of a client that was purged is answered %d", a.Status)
	}
	e.run(t, "measurement", "audit")
	e.importText(t, export, "--with-keys")
	for _, path := range paths {
		if now := e.data(t, s, path, e.west.key); now != before[path] {
			t.Errorf("%s: the answer is another", path)
		}
	}
	if now := e.exported(t, e.east); !slices.Equal(now, beside) {
		t.Error("another client's records have changed")
	}
	e.run(t, "measurement", "audit")
}

// What is proven from outside: the hashes and counts of a walk, and the contract.
func TestVerifyAndConformance_Pass(t *testing.T) {
	t.Parallel()
	e := setup(t)
	s := e.serve(t)
	for _, c := range []client{e.east, e.west} {
		var saved strings.Builder
		responses := 0
		for path := "/interviews?limit=50"; path != ""; responses++ {
			a := e.caller.Get(t.Context(), s.URL, path, c.key)
			var page struct {
				Meta struct {
					Next *string `json:"next_cursor"`
				}
			}
			if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != http.StatusOK {
				t.Fatalf("%s: %d %s %v", path, a.Status, a.Body, a.Err)
			}
			fmt.Fprintf(&saved, `{"request":%q,"response":%s}`+"\n", "/api/client/v1"+path, a.Body)
			if path = ""; page.Meta.Next != nil {
				path = "/interviews?limit=50&starting_after=" + *page.Meta.Next
			}
		}
		stdout, stderr, err := e.feed(t, saved.String(), "verify", "-")
		if err != nil || responses < 2 || !strings.Contains(stdout, fmt.Sprintf("responses: %d, walks: 1;", responses)) {
			t.Errorf("verifying %d responses: %v: %s%s", responses, err, stdout, stderr)
		}
		if told := e.run(t, "conformance", "--base-url", s.URL, "--key", e.issue(t, c.slug)); !strings.Contains(told, "failed: 0") {
			t.Errorf("conformance: %s", told)
		}
	}
}
