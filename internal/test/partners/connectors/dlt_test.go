//go:build partners

package connectors_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
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
	source, err := filepath.Abs(offered + "dlt/clientintel.py")
	if err != nil {
		t.Fatal(err)
	}
	python := func(input string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), filepath.Join(programs, "python"), args...)
		command.Dir, command.Stdin = home, strings.NewReader(input)
		command.Env = append(os.Environ(), "HOME="+home, "DLT_DATA_DIR="+home, "RUNTIME__DLTHUB_TELEMETRY=false", "TZ=Pacific/Auckland",
			"PYTHONDONTWRITEBYTECODE=1", "CLIENTINTEL_URL="+srv.URL, "CLIENTINTEL_KEY="+key, "CLIENTINTEL_PAGE=40")
		var said strings.Builder
		command.Stderr = &said
		output, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s%s", args, err, output, said.String())
		}
		return string(output)
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
}

// loadConfigured loads what a configuration of dlt's rest_api source names, and
// prints the rows of a query on it.
const loadConfigured = `
import dlt, duckdb, json, sys
from dlt.sources.rest_api import rest_api_source
config, query = json.load(sys.stdin)
dlt.pipeline("guide", destination=dlt.destinations.duckdb("guide.duckdb"), dataset_name="voice").run(rest_api_source(config))
db = duckdb.connect("guide.duckdb", read_only=True)
db.execute("SET schema = 'voice'")
print(json.dumps(db.execute(query).fetchall()))
`

// The guide's configuration loads scores with decimals and without into one
// column: its query on the warehouse gives what the database holds.
func TestDLT_GuidesConfiguration(t *testing.T) {
	srv, seed := partnerserver.Start(t, 600, time.Hour)
	programs := partnerserver.Python(t, "dlt/requirements.txt")
	guide, err := os.ReadFile("../../../../openapi/guides/bi-guide.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language, holds string) string {
		for _, found := range strings.Split(string(guide), "\n```"+language+"\n")[1:] {
			if text, _, _ := strings.Cut(found, "\n```"); strings.Contains(text, holds) {
				return text
			}
		}
		t.Fatalf("the guide has no %s with %q", language, holds)
		return ""
	}
	var config map[string]any
	if err := json.Unmarshal([]byte(block("json", `"paginator"`)), &config); err != nil {
		t.Fatal(err)
	}
	client := config["client"].(map[string]any)
	client["base_url"] = srv.URL + partnerserver.Base + "/"
	client["auth"].(map[string]any)["token"] = srv.KeyFor(t, brand, auth.Default()...)
	query := strings.TrimSuffix(block("sql", "AS nps"), ";")
	query = strings.Replace(query, "AS nps", "AS nps, CAST(CAST(sum(i.nps_score) AS numeric(18, 6)) AS double precision) AS total", 1)
	given, err := json.Marshal([]any{config, query})
	if err != nil {
		t.Fatal(err)
	}

	home := t.TempDir()
	command := exec.CommandContext(t.Context(), filepath.Join(programs, "python"), "-c", loadConfigured)
	command.Dir, command.Stdin = home, strings.NewReader(string(given))
	command.Env = append(os.Environ(), "HOME="+home, "DLT_DATA_DIR="+home, "RUNTIME__DLTHUB_TELEMETRY=false")
	var said strings.Builder
	command.Stderr = &said
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var held string
	seed.Query(t, &held, `SELECT json_agg(json_build_array(campaign, interviews, scores, nps, total))::text FROM (
		WITH interviews AS (SELECT campaign_id AS conversation_goal_id, nps_score FROM usable_interviews WHERE client_id = $1),
		campaigns AS (SELECT * FROM public.campaigns WHERE client_id = $1) `+query+`) AS q`, seed.Clients[brand])
	var got, want [][]any
	if err := json.Unmarshal(printed, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(held), &want); err != nil {
		t.Fatal(err)
	}
	if len(want) < 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("the query on the warehouse gives %v, want %v", got, want)
	}
	decimals := 0
	if seed.Query(t, &decimals, "SELECT count(*) FROM usable_interviews WHERE client_id = $1 AND nps_score <> trunc(nps_score)", seed.Clients[brand]); decimals == 0 {
		t.Error("no score has decimals: nothing was shown")
	}
}
