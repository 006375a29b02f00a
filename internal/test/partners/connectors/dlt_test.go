//go:build partners

package connectors_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

const offered = "../../../../openapi/connectors/"

// The window is short, so that a test can wait for it as a sync waits for its
// hour: a run takes more requests than one window admits.
const (
	requests = 4
	window   = 8 * time.Second
)

// dumpTables prints the tables of the warehouse as this package compares them.
const dumpTables = `
import duckdb, json, sys
db = duckdb.connect("clientintel.duckdb", read_only=True)
db.execute("SET TimeZone = 'UTC'")
for table, columns in json.load(sys.stdin).items():
    texts = {name for name, kind, *_ in db.execute(f"DESCRIBE voice.{table}").fetchall() if kind == "JSON"}
    cells = ", ".join(f"CAST({c} AS VARCHAR)" if c.endswith("_at") or c == "feed_date" else c for c in columns)
    rows = db.execute(f"SELECT id, {cells} FROM voice.{table}").fetchall()
    print(table, json.dumps({row[0]: [json.loads(v) if c in texts else v for c, v in zip(columns, row[1:])] for row in rows}))
`

// dlt's first run loads everything, its second what changed, and a full one
// what changes unseen; each time the warehouse is what the database holds.
func TestDLT(t *testing.T) {
	srv, seed := partnerserver.Start(t, requests, window)
	programs := partnerserver.Python(t, "dlt/requirements.txt")
	document := prepare(t, seed)
	key := srv.KeyFor(t, brand, auth.Default()...)
	home := t.TempDir()
	source, err := filepath.Abs(offered + "dlt/clientintel_dlt.py")
	require.NoError(t, err)
	attempt := func(input string, args ...string) (string, string, error) {
		t.Helper()
		command := exec.CommandContext(t.Context(), filepath.Join(programs, "python"), args...)
		command.Dir, command.Stdin = home, strings.NewReader(input)
		command.Env = append(os.Environ(), "HOME="+home, "DLT_DATA_DIR="+home, "RUNTIME__DLTHUB_TELEMETRY=false", "TZ=Pacific/Auckland",
			"PYTHONDONTWRITEBYTECODE=1", "CLIENTINTEL_URL="+srv.URL, "CLIENTINTEL_KEY="+key, "CLIENTINTEL_PAGE=40")
		var said strings.Builder
		command.Stderr = &said
		output, err := command.Output()
		return string(output), said.String(), err
	}
	python := func(input string, args ...string) string {
		t.Helper()
		output, said, err := attempt(input, args...)
		require.NoError(t, err, args, output, said)
		return output
	}
	loaded := func() tables {
		t.Helper()
		found := tables{}
		for line := range strings.Lines(python(encode(t, columns), "-c", dumpTables)) {
			table, rows, _ := strings.Cut(line, " ")
			found[table] = decodeRows(t, []byte(rows))
		}
		return found
	}

	python("", source)
	wantSame(t, "after the first run", loaded(), held(t, seed))
	if waited(srv) == 0 {
		t.Error("the first run was never refused for its quota: nothing was shown")
	}
	change(t, seed)
	python("", source)
	wantSame(t, "after the changes", loaded(), held(t, seed))
	unpublish(t, seed, document)
	python("", source, "full")
	wantSame(t, "after a full run", loaded(), held(t, seed))

	before := loaded()
	key = srv.KeyFor(t, "alderpeak", auth.Default()...)
	if _, said, err := attempt("", source); err == nil || !strings.Contains(said, "choose another dataset_name") {
		t.Errorf("another brand's key: %v, %.2000s", err, said)
	}
	wantSame(t, "after another brand's key", loaded(), before)
}
