package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// newerPrograms are the installed programs under the name of the next major, and the
// two majors.
func newerPrograms(t *testing.T, dir string) (string, int, int) {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if named := os.Getenv("CLIENTINTEL_POSTGRES_BIN"); named != "" {
		found = []string{named}
	}
	if len(found) == 0 {
		t.Fatal("no PostgreSQL is installed")
	}
	real := found[len(found)-1]
	out, err := exec.CommandContext(t.Context(), filepath.Join(real, "postgres"), "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	major, err := strconv.Atoi(string(regexp.MustCompile(`[0-9]+`).Find(out)))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"postgres": `[ "$1" != --version ] || exec echo "postgres (PostgreSQL) ` + strconv.Itoa(major+1) + `.0"` + "\nexec " + real + `/postgres "$@"`,
		"initdb":   `for a; do shift; case $a in --*locale-p*|--builtin*) ;; *) set -- "$@" "$a";; esac; done` + "\nexec " + real + `/initdb "$@"`,
	} {
		writeProgram(t, filepath.Join(dir, name), "#!/bin/sh\n"+text+"\n")
	}
	return dir, major, major + 1
}

// openEmbedded opens the embedded database of a data directory and connects as the superuser.
func openEmbedded(t *testing.T, dir string, do func(conn *pgx.Conn)) {
	t.Helper()
	cluster, err := embedded.Open(t.Context(), embedded.Options{Dir: dir, BinDir: os.Getenv("CLIENTINTEL_POSTGRES_BIN")})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close(context.Background())
	conn, err := pgx.Connect(t.Context(), cluster.URL(embedded.Superuser, embedded.Database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	do(conn)
}

// allRows is a hash of the rows of each table, partition and sequence.
func allRows(t *testing.T, conn *pgx.Conn) map[string]string {
	t.Helper()
	rows, _ := conn.Query(t.Context(), `SELECT c.oid::regclass::text FROM pg_class AS c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'S') AND c.relname NOT IN ('goose_db_version', 'goose_db_version_id_seq')`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	hashes := map[string]string{}
	for _, name := range names {
		columns := "t::text"
		if strings.HasSuffix(name, "_seq") {
			columns = "t.last_value::text"
		}
		var hash string
		if err := conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(%s, ',' ORDER BY %[1]s)), '') FROM %s AS t`, columns, name)).
			Scan(&hash); err != nil {
			t.Fatal(err)
		}
		hashes[name] = hash
	}
	return hashes
}

// The embedded database moves to another major with every row, whole or not at all,
// and the old cluster stays.
func TestMigrate_EmbeddedMajor(t *testing.T) {
	t.Parallel()
	// Where the server's own account can pass: as root, t.TempDir keeps it out.
	parent, err := os.MkdirTemp("", "clientintel-major")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	programs, major, next := newerPrograms(t, parent)
	dir := filepath.Join(parent, "data")
	present := map[string]string{"CLIENTINTEL_DATA_DIR": dir, "CLIENTINTEL_POSTGRES_BIN": os.Getenv("CLIENTINTEL_POSTGRES_BIN")}
	env := map[string]string{"CLIENTINTEL_DATA_DIR": dir, "CLIENTINTEL_POSTGRES_BIN": programs}
	var file strings.Builder
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(0, -6, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{
			{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 60, Campaigns: 4, Synthesis: 4},
			{Slug: "globex", Mode: "legacy", Interviews: 40, Campaigns: 2},
		},
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ stdin, args string }{{file.String(), "import -"}, {"", "keys issue --client acme --name x"}} {
		if got := command(t, present, c.stdin, strings.Fields(c.args)...); got.code != exitDone {
			t.Fatalf("%s: %+v", c.args, got)
		}
	}
	upgrade := func() result { return command(t, env, "", "migrate", "--embedded-major", strconv.Itoa(next)) }
	refused := func(why string) {
		t.Helper()
		left, _ := filepath.Glob(filepath.Join(dir, "*"+strconv.Itoa(next)+"*"))
		staged, _ := filepath.Glob(filepath.Join(dir, "upgrade-*"))
		if got := upgrade(); got.code != exitFailed || !strings.Contains(got.stderr, why) || len(left)+len(staged) > 0 {
			t.Errorf("%+v, left %v; want %q", got, append(left, staged...), why)
		}
	}
	var before map[string]string
	openEmbedded(t, dir, func(conn *pgx.Conn) {
		refused("another process uses " + dir)
		if _, err := conn.Exec(t.Context(), `CREATE TABLE orders (id integer);
			ALTER TABLE lanes ADD COLUMN note text, ADD CONSTRAINT note_is_short CHECK (length(note) < 100);
			CREATE INDEX lanes_of_note ON lanes (note);
			CREATE TRIGGER no_changes BEFORE UPDATE ON lanes FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
			CREATE TABLE request_log_20250101 PARTITION OF request_log FOR VALUES FROM ('2025-01-01 00:00+00') TO ('2025-01-02 00:00+00');
			INSERT INTO request_log SELECT k.client_id, k.id, '2025-01-01 12:00+00', n, 'x' FROM api_keys AS k, generate_series(1, 5) AS n WHERE k.client_id IS NOT NULL`); err != nil {
			t.Fatal(err)
		}
	})
	refused("it also holds what would be lost: column lanes.note, column orders.id, constraint note_is_short on lanes, " +
		"index lanes_of_note, relation orders, trigger no_changes on lanes: ")
	openEmbedded(t, dir, func(conn *pgx.Conn) {
		if _, err := conn.Exec(t.Context(), `DROP TABLE orders; DROP TRIGGER no_changes ON lanes; ALTER TABLE lanes DROP COLUMN note;
		ALTER TABLE interviews DISABLE TRIGGER count_deleted_members; DELETE FROM interviews WHERE reportable`); err != nil {
			t.Fatal(err)
		}
	})
	refused("the database's trigger count_deleted_members on interviews is missing or another: run 'clientintel measurement rebuild --all' first")
	if got := command(t, present, "", "measurement", "rebuild", "--all"); got.code != exitDone {
		t.Fatalf("%+v", got)
	}
	openEmbedded(t, dir, func(conn *pgx.Conn) {
		before = allRows(t, conn)
	})
	old := filepath.Join(dir, "pg"+strconv.Itoa(major))
	if got := upgrade(); got.code != exitDone || got.stdout != fmt.Sprintf("The database is PostgreSQL %d's now. Remove %s when you no longer need it.\n", next, old) {
		t.Fatalf("%+v", got)
	}
	if got := upgrade(); got.code != exitFailed {
		t.Errorf("again: %+v", got)
	}

	// The programs are those of one major, whatever they are called.
	if err := os.RemoveAll(old); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "pg"+strconv.Itoa(next)), old); err != nil {
		t.Fatal(err)
	}
	openEmbedded(t, dir, func(conn *pgx.Conn) {
		after := allRows(t, conn)
		for name, want := range before {
			if after[name] != want {
				t.Errorf("%s: %s, before %s", name, after[name], want)
			}
		}
		if len(after) < len(before) || before["request_log_20250101"][:2] != "5 " {
			t.Errorf("%v, before %v", after, before)
		}
	})
	for _, args := range []string{"measurement audit", "doctor"} {
		if got := command(t, present, "", strings.Fields(args)...); got.code != exitDone {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if got := command(t, onDatabase(t), "", "migrate", "--embedded-major", "18"); got.code != exitUsage {
		t.Errorf("a server of the operator's own: %+v", got)
	}
	for _, flags := range []string{"--embedded-major 18 --dry-run", "--embedded-major 18 --distribute", "--dry-run --distribute"} {
		if got := command(t, present, "", append([]string{"migrate"}, strings.Fields(flags)...)...); got.code != exitUsage {
			t.Errorf("%s: %+v", flags, got)
		}
	}
}
