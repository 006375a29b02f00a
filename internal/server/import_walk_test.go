package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

// usable is the gate, written a second time, on a file's own fields.
func usable(i line, live map[string]bool) bool {
	duration, measured := i["duration_seconds"].(json.Number)
	seconds, _ := duration.Float64()
	campaign, _ := i["conversation_goal_id"].(string)
	return (i["status"] == "completed" || i["status"] == "analyzed") && i["is_test"] != true &&
		(!measured || seconds >= 60) && i["engagement"] != "disengaged" && i["quality"] == "passed" &&
		i["reportable"] == true && i["client_safe"] == true && (campaign == "" || live[campaign])
}

// A walk returns an imported file row for row, value for value.
func TestListInterviews_AnImportComesBackThroughTheWalk(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
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
	live := map[string]bool{}
	var interviewLines []line
	lines := bufio.NewScanner(&file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		switch l := decodeLine(t, lines.Bytes()); l["kind"] {
		case "campaign":
			live[l["id"].(string)] = l["launch_status"] == "live" && l["active"] != false
		case "interview":
			interviewLines = append(interviewLines, l)
		}
	}
	for _, brand := range demodata.Brands() {
		var want []line
		for _, l := range interviewLines {
			if l["client_id"] == brand.ID.String() && usable(l, live) {
				want = append(want, l)
			}
		}
		slices.SortFunc(want, func(a, b line) int {
			at, _ := time.Parse(time.RFC3339Nano, a["created_at"].(string))
			bt, _ := time.Parse(time.RFC3339Nano, b["created_at"].(string))
			if c := bt.Compare(at); c != 0 {
				return c
			}
			return strings.Compare(a["id"].(string), b["id"].(string))
		})
		seed.Clients[brand.Slug] = brand.ID
		got := walkRows(t, srv, srv.KeyFor(t, brand.Slug))
		if len(got) != len(want) {
			t.Fatalf("%s: the walk has %d rows, the file %d usable ones", brand.Slug, len(got), len(want))
		}
		for i := range got {
			compareInterview(t, decodeLine(t, got[i]), want[i])
		}
	}
}

func walkRows(t *testing.T, srv *apitest.Server, key string) []json.RawMessage {
	t.Helper()
	var rows []json.RawMessage
	cursor := ""
	for {
		path := interviews + "?limit=61"
		if cursor != "" {
			path += "&starting_after=" + cursor
		}
		answer := srv.Get(t, path, key)
		var page struct{ Data []json.RawMessage }
		answer.WantStatus(t, 200).Decode(t, &page)
		rows = append(rows, page.Data...)
		if cursor = answer.List(t).NextCursor(t); cursor == "" {
			return rows
		}
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
