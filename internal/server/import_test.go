package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// line is a record of an import file, its numbers as written.
type line map[string]any

func decodeLine(t *testing.T, text []byte) line {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var l line
	if err := decoder.Decode(&l); err != nil {
		t.Fatalf("decoding %s: %v", text, err)
	}
	return l
}

// importDemo imports the demo's file and returns its records by kind.
func importDemo(t *testing.T, srv *apitest.Server, seed *apitest.Seed) map[string][]line {
	t.Helper()
	var file bytes.Buffer
	if err := demodata.Demo(&file, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	if _, err := importer.Import(t.Context(), ownerOf(t, srv), importer.Options{}, importer.Stream("the input", bytes.NewReader(file.Bytes()))); err != nil {
		t.Fatal(err)
	}
	for _, brand := range demodata.Brands() {
		seed.Clients[brand.Slug] = brand.ID
	}
	records := map[string][]line{}
	lines := bufio.NewScanner(&file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		l := decodeLine(t, lines.Bytes())
		records[l["kind"].(string)] = append(records[l["kind"].(string)], l)
	}
	return records
}

// usable is the gate, written a second time, on a file's own fields.
func usable(i line, live map[string]bool) bool {
	duration, measured := i["duration_seconds"].(json.Number)
	seconds, _ := duration.Float64()
	campaign, _ := i["conversation_goal_id"].(string)
	return (i["status"] == "completed" || i["status"] == "analyzed") && i["is_test"] != true &&
		(!measured || seconds >= 60) && i["engagement"] != "disengaged" && i["quality"] == "passed" &&
		i["reportable"] == true && i["client_safe"] == true && (campaign == "" || live[campaign])
}

// ofClient are the client's records, ordered by fields, each descending with
// nothing last, and by id.
func ofClient(records []line, client string, keep func(line) bool, order ...string) []line {
	own := []line{}
	for _, l := range records {
		if l["client_id"] == client && keep(l) {
			own = append(own, l)
		}
	}
	slices.SortFunc(own, func(a, b line) int {
		for _, field := range order {
			if c := compareMissingLast(momentOf(a[field]), momentOf(b[field])); c != 0 {
				return c
			}
		}
		return strings.Compare(a["id"].(string), b["id"].(string))
	})
	return own
}

// momentOf reads a date or date-time of a record; nothing is nil.
func momentOf(v any) *time.Time {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	at := apitest.At(text).Truncate(time.Microsecond)
	return &at
}

// wantRecords compares a list's rows with what was imported, field by field.
func wantRecords(t *testing.T, got, want []line, moments ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("the list has %d rows, the file %d", len(got), len(want))
	}
	for i := range got {
		expected := maps.Clone(want[i])
		delete(expected, "kind")
		for _, field := range moments {
			a, b := momentOf(got[i][field]), momentOf(expected[field])
			if (a == nil) != (b == nil) || a != nil && !a.Equal(*b) {
				t.Errorf("%s: %s is %v, imported as %v", expected["id"], field, got[i][field], expected[field])
			}
			delete(expected, field)
			delete(got[i], field)
		}
		if !reflect.DeepEqual(got[i], expected) {
			t.Errorf("row %d\n got %v\nwant %v", i, got[i], expected)
		}
	}
}

// walkRows follows a list to its end.
func walkRows(t *testing.T, srv *apitest.Server, path, key string) []line {
	t.Helper()
	rows := []line{}
	for cursor := ""; ; {
		answer := srv.Get(t, path+cursor, key).WantStatus(t, 200)
		for _, row := range decodeLine(t, answer.Body)["data"].([]any) {
			rows = append(rows, row.(map[string]any))
		}
		if cursor = answer.List(t).NextCursor(t); cursor == "" {
			return rows
		}
		cursor = "&starting_after=" + cursor
	}
}

// An imported file comes back row for row, value for value: interviews that pass the gate,
// campaigns with old key questions as objects, documents of both modes, and bodies that say
// of their bases what the file made of them.
func TestImport_ComesBack(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	records := importDemo(t, srv, seed)
	live, hidden := map[string]bool{}, map[any]bool{}
	for _, l := range records["lane"] {
		hidden[l["id"]] = l["visible"] == false
	}
	legacy := 0
	for _, c := range records["campaign"] {
		live[c["id"].(string)] = c["launch_status"] == "live" && c["active"] != false
		if c["key_questions"] == nil {
			c["key_questions"] = []any{}
		}
		list, _ := c["key_questions"].([]any)
		for i, q := range list {
			if text, old := q.(string); old {
				list[i] = map[string]any{"id": fmt.Sprintf("q%d", i+1), "question": text}
				legacy++
			}
		}
	}
	if legacy == 0 {
		t.Fatal("the file has no campaign with old key questions")
	}
	said := map[string]int{}
	for _, brand := range demodata.Brands() {
		client, key := brand.ID.String(), srv.KeyFor(t, brand.Slug)
		wantInterviews(t, walkRows(t, srv, interviews+"?limit=61", key),
			ofClient(records["interview"], client, func(l line) bool { return usable(l, live) }, "created_at"))
		wantRecords(t, walkRows(t, srv, campaigns+"?limit=200", key),
			ofClient(records["campaign"], client, func(line) bool { return true }, "created_at"),
			"created_at", "updated_at", "launched_at", "last_refreshed")
		documents := ofClient(records["synthesis_document"], client, func(l line) bool {
			return l["status"] == "published" && !hidden[l["lane_id"]] &&
				l["synthesis_type"] != "playbook" && l["synthesis_type"] != "creative_concept"
		}, "last_refreshed", "updated_at")
		wantRecords(t, walkRows(t, srv, synthesisPath+"?limit=200", key), documents, "created_at", "updated_at", "last_refreshed")

		for _, kind := range []string{"home", "daily_feed", "lane", "campaign", "playbook", "creative_concept"} {
			lines := ofClient(records["portal_document"], client, func(l line) bool {
				return l["type"] == kind && l["status"] == "published" && !hidden[l["lane_id"]]
			}, "feed_date", "published_at")
			bodies := walkRows(t, srv, portal+"&limit=200&type="+kind, key)
			if len(bodies) != len(lines) {
				t.Fatalf("%s has %d bodies of type %s, the file %d", brand.Slug, len(bodies), kind, len(lines))
			}
			for i, body := range bodies {
				said[brand.Mode+" "+verdictOf(body)]++
				delete(body, "measurement_integrity")
				if !reflect.DeepEqual(map[string]any(body), lines[i]["body"]) {
					t.Errorf("%s body %d\n got %v\nwant %v", kind, i, body, lines[i]["body"])
				}
			}
		}
	}
	verdicts := slices.Sorted(maps.Keys(said))
	if want := []string{
		"canonical comparable", "canonical contract_changed", "canonical historical_unverifiable", "canonical scope_changed", "legacy nothing",
	}; !slices.Equal(verdicts, want) {
		t.Errorf("bodies say %v, want %v", verdicts, want)
	}
}

// verdictOf is the integrity status of a body's basis, in a word.
func verdictOf(body line) string {
	integrity, ok := body["measurement_integrity"].(map[string]any)
	if !ok {
		return "nothing"
	}
	fresh, ok := integrity["freshness"].(map[string]any)
	if !ok {
		return integrity["status"].(string)
	}
	if reason, ok := fresh["reason"].(string); ok {
		return reason
	}
	return fresh["status"].(string)
}

// wantInterviews compares those fields that the list has.
func wantInterviews(t *testing.T, got, want []line) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("the walk has %d rows, the file %d usable ones", len(got), len(want))
	}
	for i := range got {
		compareInterview(t, got[i], want[i])
	}
}

func compareInterview(t *testing.T, got, want line) {
	t.Helper()
	for _, field := range []string{
		"id", "client_id", "conversation_goal_id", "participant_name", "participant_email", "interview_type", "status",
		"customer_sentiment", "churn_risk", "best_quote", "transcript", "custom_extraction",
	} {
		if !reflect.DeepEqual(got[field], want[field]) {
			t.Errorf("%s: %s is %v, imported as %v", want["id"], field, got[field], want[field])
		}
	}
	for _, field := range []string{"duration_seconds", "nps_score"} {
		if a, b := number(got[field]), number(want[field]); a != b {
			t.Errorf("%s: %s is %s, imported as %s", want["id"], field, a, b)
		}
	}
	at, _ := time.Parse(time.RFC3339Nano, got["created_at"].(string))
	imported, _ := time.Parse(time.RFC3339Nano, want["created_at"].(string))
	if !at.Equal(imported.Truncate(time.Microsecond)) {
		t.Errorf("%s: created_at is %s, imported as %s", want["id"], at, imported)
	}
}

// number spells a number by its value: 9 and 9.0 are one score.
func number(v any) string {
	n, ok := v.(json.Number)
	if !ok {
		return fmt.Sprint(v)
	}
	f, _ := n.Float64()
	return fmt.Sprint(f)
}
