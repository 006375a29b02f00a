package guides_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// sync runs the guide's loader as its reader does.
func (w *sandbox) sync(t *testing.T, args ...string) {
	t.Helper()
	if _, err := run(w.command(t.Context(), w.python, append([]string{"sync.py"}, args...)...)); err != nil {
		t.Fatalf("sync.py %v: %v", args, err)
	}
}

// row is a table's row, or an answer's, by column.
type row map[string]any

const dumpScript = `import json, sqlite3, sys
db = sqlite3.connect("warehouse.db")
db.row_factory = sqlite3.Row
tables = ("campaigns", "synthesis", "interviews")
print(json.dumps({table: [dict(row) for row in db.execute("SELECT * FROM " + table)] for table in tables}))
`

// tables are the warehouse's rows by table and id.
func (w *sandbox) tables(t *testing.T) map[string]map[string]row {
	t.Helper()
	var dump map[string][]row
	if err := json.Unmarshal([]byte(w.runPython(t, dumpScript)), &dump); err != nil {
		t.Fatal(err)
	}
	tables := map[string]map[string]row{}
	for table, rows := range dump {
		tables[table] = byID(rows)
	}
	return tables
}

func byID(rows []row) map[string]row {
	found := map[string]row{}
	for _, r := range rows {
		found[r["id"].(string)] = r
	}
	return found
}

// served are a list's rows as the service has them now.
func served(t *testing.T, srv *apitest.Server, key, table string) map[string]row {
	t.Helper()
	var rows []row
	cursor := ""
	for {
		path := prefix + "/" + table + "?limit=200"
		if cursor != "" {
			path += "&starting_after=" + cursor
		}
		answer := srv.Get(t, path, key).WantStatus(t, 200)
		var page struct{ Data []row }
		answer.Decode(t, &page)
		rows = append(rows, page.Data...)
		if cursor = answer.List(t).NextCursor(t); cursor == "" {
			return byID(rows)
		}
	}
}

// differences are the ids whose rows in the warehouse are not what the service
// has: missing, left over, or with another value in a column.
func differences(t *testing.T, w *sandbox, srv *apitest.Server) []string {
	t.Helper()
	var found []string
	for table, have := range w.tables(t) {
		want := served(t, srv, w.key, table)
		for id, r := range want {
			for column, cell := range have[id] {
				if asStored(cell) != asStored(r[column]) {
					found = append(found, fmt.Sprintf("%s/%s differs in %s", table, id, column))
				}
			}
			if have[id] == nil {
				found = append(found, fmt.Sprintf("%s/%s is missing", table, id))
			}
		}
		for id := range have {
			if want[id] == nil {
				found = append(found, fmt.Sprintf("%s/%s is left over", table, id))
			}
		}
	}
	slices.Sort(found)
	return found
}

// asStored is a value as one text: a document is the JSON it is stored as, and
// SQLite keeps true as 1.
func asStored(v any) string {
	switch cell := v.(type) {
	case bool:
		if cell {
			return "1"
		}
		return "0"
	case string:
		var document map[string]any
		if json.Unmarshal([]byte(cell), &document) == nil {
			v = document
		}
	}
	text, _ := json.Marshal(v)
	return string(text)
}

func startSync(t *testing.T, client string, change ...func(*config.Server)) (*sandbox, *apitest.Server, *apitest.Seed) {
	t.Helper()
	srv, seed := startDemo(t, change...)
	w := newSandbox(t, srv.URL, srv.KeyFor(t, client, auth.Default()...))
	w.saveFiles(t)
	w.sync(t)
	if got := differences(t, w, srv); len(got) > 0 {
		t.Fatalf("after the first load: %s", strings.Join(got, "\n"))
	}
	if got := len(w.tables(t)["interviews"]); got < 100 {
		t.Fatalf("the first load brought %d interviews, want the demo's", got)
	}
	return w, srv, seed
}

// oneInterview finds an interview by a condition on its columns, the oldest.
func oneInterview(t *testing.T, seed *apitest.Seed, client, condition string) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	seed.Query(t, &id, "SELECT id FROM interviews WHERE client_id = $1 AND "+condition+" ORDER BY created_at LIMIT 1", seed.Clients[client])
	return id
}

// Each kind of change is seen when the guide says so, and not later.
func TestSync_TablesFollowTheService(t *testing.T) {
	t.Parallel()
	const brand = "brightlarder"
	w, srv, seed := startSync(t, brand)
	client := seed.Clients[brand]

	withdrawn := oneInterview(t, seed, brand, "usable")
	seed.Exec(t, "UPDATE interviews SET client_safe = false WHERE client_id = $1 AND id = $2", client, withdrawn)
	reviewed := seed.Interview(t, brand, apitest.Fields{"created_at": time.Now().AddDate(0, 0, -90)})
	young := seed.Interview(t, brand, apitest.Fields{"created_at": time.Now().Add(-time.Hour), "churn_risk": nil})
	seed.Exec(t, `UPDATE campaigns SET display_name = 'Renamed', updated_at = now() WHERE client_id = $1 AND slug = 'onboarding'`, client)
	var refreshed, unpublished uuid.UUID
	for into, status := range map[*uuid.UUID]string{&refreshed: "published", &unpublished: "draft"} {
		seed.Query(t, into, `UPDATE synthesis_documents SET document = '{"changed": true}', status = $2, updated_at = now(), last_refreshed = now()
			WHERE client_id = $1 AND id = (SELECT s.id FROM synthesis_documents AS s
				WHERE s.client_id = $1 AND s.status = 'published' AND s.synthesis_type = 'daily_feed' AND s.document ->> 'changed' IS NULL
				ORDER BY s.feed_date LIMIT 1)
			RETURNING id`, client, status)
	}
	w.sync(t)
	leftOver := fmt.Sprintf("synthesis/%s is left over", unpublished)
	if got := differences(t, w, srv); !slices.Equal(got, []string{leftOver}) {
		t.Errorf("after a sync: %s\nwant the document that was unpublished, and nothing else", strings.Join(got, "\n"))
	}
	interviews := w.tables(t)["interviews"]
	if interviews[withdrawn.String()] != nil || interviews[reviewed] == nil || interviews[young] == nil {
		t.Errorf("withdrawn %v, reviewed %v, young %v", interviews[withdrawn.String()], interviews[reviewed], interviews[young])
	}
	var details int
	seed.Query(t, &details, "SELECT count(*) FROM request_log WHERE route = 'getInterview'")
	if details != 1 {
		t.Errorf("one old interview appeared, and %d were asked for one by one", details)
	}

	// A young one is corrected in place.
	seed.Exec(t, "UPDATE interviews SET churn_risk = 'high' WHERE id = $1", young)
	// A campaign goes live, and its old interviews appear together.
	seed.Exec(t, "UPDATE campaigns SET launch_status = 'live', active = true, updated_at = now() WHERE client_id = $1 AND slug = 'summer-menu'", client)
	w.sync(t)
	if got := differences(t, w, srv); !slices.Equal(got, []string{leftOver}) {
		t.Errorf("after many appeared: %s\nwant the document that was unpublished, and nothing else", strings.Join(got, "\n"))
	}
	seed.Query(t, &details, "SELECT count(*) FROM request_log WHERE route = 'getInterview'")
	if details != 1 {
		t.Errorf("a walk is cheaper, and %d interviews were asked for one by one", details)
	}

	seed.Exec(t, "UPDATE interviews SET best_quote = 'Corrected.' WHERE id = $1", reviewed)
	w.sync(t)
	want := []string{fmt.Sprintf("interviews/%s differs in best_quote", reviewed), leftOver}
	if got := differences(t, w, srv); !slices.Equal(got, want) {
		t.Errorf("after an old interview was corrected: %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	w.sync(t, "full")
	if got := differences(t, w, srv); len(got) > 0 {
		t.Errorf("after a full sync: %s", strings.Join(got, "\n"))
	}
}

// Without a list of ids the loader walks, and still sees what was withdrawn.
func TestSync_LegacyBrand(t *testing.T) {
	t.Parallel()
	const brand = "alderpeak"
	w, srv, seed := startSync(t, brand)
	withdrawn := oneInterview(t, seed, brand, "usable")
	seed.Exec(t, "UPDATE interviews SET reportable = false WHERE client_id = $1 AND id = $2", seed.Clients[brand], withdrawn)
	w.sync(t)
	if got := differences(t, w, srv); len(got) > 0 {
		t.Errorf("after a sync: %s", strings.Join(got, "\n"))
	}
}

const windowsScript = `import sync
sync.CHUNK = 40
client, db = sync.Client(), sync.connect()
print(len(sync.visible_ids(client, db)))
sync.sync_interviews(client, db, False)
sync.CHUNK = 5000
print(sync.visible_ids(client, db))
`

// A brand with more interviews than one answer lists is asked window by window,
// and nothing between two windows is lost.
func TestSync_BrandTooLargeForOneBasis(t *testing.T) {
	t.Parallel()
	const brand = "brightlarder"
	w, srv, seed := startSync(t, brand, func(s *config.Server) { s.BasisMaxIDs = 60 })
	all := len(w.tables(t)["interviews"])
	withdrawn := oneInterview(t, seed, brand, "usable")
	seed.Exec(t, "UPDATE interviews SET reportable = false WHERE client_id = $1 AND id = $2", seed.Clients[brand], withdrawn)
	if got, want := w.runPython(t, windowsScript), fmt.Sprintf("%d\nNone\n", all-1); got != want {
		t.Errorf("the windows list %q, want %q: all in windows of 40, and no list for windows too large", got, want)
	}
	if got := differences(t, w, srv); len(got) > 0 {
		t.Errorf("after a sync by windows: %s", strings.Join(got, "\n"))
	}
}

const refreshScript = `import sys, urllib.request
import clientintel, sync
pages = clientintel.Client.pages

def pages_with_a_visit(self, path, limit=10, **filters):
    for number, page in enumerate(pages(self, path, limit=limit, **filters)):
        yield page
        if number == 0:
            urllib.request.urlopen(sys.argv[1]).close()

clientintel.Client.pages = pages_with_a_visit
sync.sync_changed(clientintel.Client(), sync.connect(), "synthesis", sys.argv[2] == "full")
`

// What the guide says of a document refreshed in the middle of a walk: it moves
// to pages already read. The next walk has it, and a full load has it at once.
func TestSync_DocumentRefreshedDuringTheWalk(t *testing.T) {
	t.Parallel()
	const brand = "brightlarder"
	w, srv, seed := startSync(t, brand)
	client := seed.Clients[brand]
	visits := 0
	var moved uuid.UUID
	// The first visit of a walk refreshes the document that the walk would have
	// come to last.
	meanwhile := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		visits++
		if visits > 1 {
			return
		}
		seed.Query(t, &moved, `UPDATE synthesis_documents SET document = '{"headline": "Refreshed"}', last_refreshed = now(), updated_at = now()
			WHERE client_id = $1 AND id = (SELECT s.id FROM synthesis_documents AS s
				WHERE s.client_id = $1 AND s.status = 'published' AND s.lane_id IS NULL
				ORDER BY coalesce(s.last_refreshed, '0001-01-01'), s.updated_at, s.id DESC LIMIT 1)
			RETURNING id`, client)
	}))
	defer meanwhile.Close()

	// Every row has just changed, so that the incremental walk has pages.
	seed.Exec(t, `UPDATE synthesis_documents SET updated_at = now(), document = document || '{"edition": 2}' WHERE client_id = $1`, client)
	w.runPython(t, refreshScript, meanwhile.URL, "changes")
	if got, want := differences(t, w, srv), "synthesis/"+moved.String(); len(got) == 0 || !strings.HasPrefix(got[0], want) {
		t.Errorf("after the walk that missed it: %v, want %s to differ", got, want)
	}
	w.sync(t)
	if got := differences(t, w, srv); len(got) > 0 {
		t.Errorf("after the next walk: %s", strings.Join(got, "\n"))
	}

	visits = 0
	w.runPython(t, refreshScript, meanwhile.URL, "full")
	if visits == 0 {
		t.Error("nothing was refreshed during the full walk")
	}
	if got := differences(t, w, srv); len(got) > 0 {
		t.Errorf("after the full walk: %s", strings.Join(got, "\n"))
	}
}
