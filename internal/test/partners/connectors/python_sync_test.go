//go:build partners

package connectors_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

// dumpSync prints what python -m clientintel sync keeps, whatever it keeps it in.
const dumpSync = `
import csv, duckdb, json, os, psycopg, sqlite3, sys
target, kind = sys.argv[1:]
for table, columns in json.load(sys.stdin).items():
    cells = ", ".join(f"CAST({c} AS VARCHAR)" if c.endswith("_at") or c == "feed_date" else c for c in columns)
    if kind == "duckdb":
        db = duckdb.connect(target, read_only=True)
        db.execute("SET TimeZone = 'UTC'")
        rows = db.execute(f"SELECT id, {cells} FROM {table}").fetchall()
    elif kind == "sqlite":
        rows = sqlite3.connect(target).execute(f"SELECT id, {', '.join(columns)} FROM {table}").fetchall()
    elif kind == "postgresql":
        db = psycopg.connect(target)
        db.execute("SET TIME ZONE 'UTC'")
        rows = db.execute(f"SELECT id, {cells.replace('document', 'document::text')} FROM clientintel.{table}").fetchall()
    elif kind == "parquet":
        duckdb.execute("SET TimeZone = 'UTC'")
        rows = duckdb.execute(f"SELECT id, {cells} FROM '{target}/{table}.parquet'").fetchall()
    else:
        with open(f"{target}/{table}.csv", newline="", encoding="utf-8") as file:
            rows = [[row["id"]] + [row[c] if row[c] != "" else None for c in columns] for row in csv.DictReader(file)]
            assert not any(cell and cell[0] in "=+-@\t\r" for row in rows for cell in row), "a cell is a formula"
            rows = [[cell[1:] if cell and cell[0] == "'" else cell for cell in row] for row in rows]
    def read(column, cell):
        if cell is None:
            return None
        if column == "document":
            return json.loads(cell)
        if column == "active":
            return cell in (True, 1, "1")
        return float(cell) if column in ("duration_seconds", "nps_score") else cell
    print(table, json.dumps({row[0]: [read(c, v) for c, v in zip(columns, row[1:])] for row in rows}))
`

// The tool's first run loads everything, its second what changed, and a full one
// what changes unseen, into whatever it keeps the tables in.
func TestPythonSync(t *testing.T) {
	srv, seed := partnerserver.Start(t, 30, 5*time.Second)
	programs := partnerserver.Python(t, "../clients/python/requirements.txt")
	document := prepare(t, seed)
	// Numbers beyond 63 bits, and words that a spreadsheet would run.
	for i, quote := range []string{`=HYPERLINK("https://example.com","click")`, "+1+1", "-2+3", "@SUM(1)", "\t=1"} {
		seed.Interview(t, brand, apitest.Fields{"duration_seconds": math.Ldexp(1, 63+i*200), "best_quote": quote})
	}
	home := t.TempDir()
	source, err := filepath.Abs("../../../../openapi/clients/python")
	require.NoError(t, err)
	targets := map[string]string{
		"sqlite": "warehouse.db", "duckdb": "warehouse.duckdb", "parquet": "parquet", "csv": "csv", "postgresql": srv.Database.OwnerURL,
	}
	keys := map[string]string{}
	for kind := range targets {
		keys[kind] = srv.KeyFor(t, brand, auth.Default()...)
	}
	python := func(key, input string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), filepath.Join(programs, "python"), args...)
		command.Dir, command.Stdin = home, strings.NewReader(input)
		command.Env = append(os.Environ(), "PYTHONPATH="+source, "TZ=Pacific/Auckland", "PYTHONDONTWRITEBYTECODE=1",
			"CLIENTINTEL_URL="+srv.URL, "CLIENTINTEL_KEY="+key)
		var said strings.Builder
		command.Stderr = &said
		output, err := command.Output()
		require.NoError(t, err, args, output, said.String())
		return string(output)
	}
	run := func(when, counts string, more ...string) {
		t.Helper()
		for kind, target := range targets {
			printed := python(keys[kind], "", append([]string{"-W", "error", "-m", "clientintel", "sync", target, "--format", kind, "--page", "40"}, more...)...)
			if said := regexp.MustCompile(`(?m) \d+:`).ReplaceAllString(printed, ""); counts != "" && said != counts {
				t.Errorf("%s %s: %s", kind, when, printed)
			}
			found := tables{}
			for line := range strings.Lines(python("", encode(t, columns), "-c", dumpSync, target, kind)) {
				table, rows, _ := strings.Cut(line, " ")
				found[table] = decodeRows(t, []byte(rows))
			}
			wantSame(t, kind+" "+when, found, held(t, seed))
		}
	}
	run("after the first run", "")
	run("when nothing happened", "campaigns 0 added, 0 changed, 0 removed\nsynthesis 0 added, 0 changed, 0 removed\ninterviews 0 added, 0 changed, 0 removed\n")
	change(t, seed)
	run("after the changes", "campaigns 1 added, 1 changed, 0 removed\nsynthesis 1 added, 1 changed, 0 removed\ninterviews 2 added, 1 changed, 2 removed\n")
	unpublish(t, seed, document)
	run("after a full run", "campaigns 0 added, 0 changed, 0 removed\nsynthesis 0 added, 0 changed, 1 removed\ninterviews 0 added, 0 changed, 0 removed\n", "--full")
}
