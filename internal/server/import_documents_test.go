package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// importDemo imports the demo's file and returns its records by kind.
func importDemo(t *testing.T, srv *apitest.Server, seed *apitest.Seed) map[string][]line {
	t.Helper()
	var file bytes.Buffer
	if err := demodata.Demo(&file, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(context.Background(), srv.Database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", bytes.NewReader(file.Bytes()))); err != nil {
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

func dataOf(t *testing.T, a *apitest.Response) []line {
	t.Helper()
	rows := []line{}
	for _, row := range decodeLine(t, a.WantStatus(t, 200).Body)["data"].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// An imported file's campaigns are served with every field, old key questions as objects.
func TestListCampaigns_AnImportComesBack(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	records := importDemo(t, srv, seed)
	legacy := 0
	for _, c := range records["campaign"] {
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
	for _, brand := range demodata.Brands() {
		want := ofClient(records["campaign"], brand.ID.String(), func(line) bool { return true }, "created_at")
		got := dataOf(t, srv.Get(t, campaigns+"?limit=200", srv.KeyFor(t, brand.Slug)))
		wantRecords(t, got, want, "created_at", "updated_at", "launched_at", "last_refreshed")
	}
}

// So do the documents of both modes, and the bodies say of their bases what the
// file made of them.
func TestListSynthesis_AnImportComesBack(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	records := importDemo(t, srv, seed)
	hidden := map[any]bool{}
	for _, l := range records["lane"] {
		hidden[l["id"]] = l["visible"] == false
	}
	said := map[string]int{}
	for _, brand := range demodata.Brands() {
		client, key := brand.ID.String(), srv.KeyFor(t, brand.Slug)
		want := ofClient(records["synthesis_document"], client, func(l line) bool {
			return l["status"] == "published" && !hidden[l["lane_id"]] &&
				l["synthesis_type"] != "playbook" && l["synthesis_type"] != "creative_concept"
		}, "last_refreshed", "updated_at")
		got := dataOf(t, srv.Get(t, synthesisPath+"?limit=200", key))
		wantRecords(t, got, want, "created_at", "updated_at", "last_refreshed")

		for _, kind := range []string{"home", "daily_feed", "lane", "campaign", "playbook", "creative_concept"} {
			lines := ofClient(records["portal_document"], client, func(l line) bool {
				return l["type"] == kind && l["status"] == "published" && !hidden[l["lane_id"]]
			}, "feed_date", "published_at")
			bodies := dataOf(t, srv.Get(t, portal+"&limit=200&type="+kind, key))
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
	for _, verdict := range []string{
		"legacy nothing", "canonical historical_unverifiable", "canonical comparable",
		"canonical contract_changed", "canonical scope_changed",
	} {
		if said[verdict] == 0 {
			t.Errorf("no body says %q; they say %v", verdict, said)
		}
		delete(said, verdict)
	}
	if len(said) != 0 {
		t.Errorf("bodies also say %v", said)
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
