package corpus_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

// record is one line, as a reader of the format would see it.
type record map[string]any

func (r record) text(field string) string {
	s, _ := r[field].(string)
	return s
}

func (r record) is(field string) bool {
	b, _ := r[field].(bool)
	return b
}

func (r record) time(t *testing.T, field string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, r.text(field))
	if err != nil {
		t.Fatalf("%s %s: %s: %v", r.text("kind"), r.text("id"), field, err)
	}
	return at
}

// allowed lists the fields that hold one of a few words; null is always fine.
func allowed() map[string][]string {
	types := []string{"home", "daily_feed", "lane", "campaign", "playbook", "creative_concept"}
	return map[string][]string{
		"measurement_mode":   {"legacy", "canonical"},
		"quality":            {"passed", "failed", "pending"},
		"synthesis_type":     types,
		"type":               types,
		"launch_status":      {"draft", "live", "paused", "ended"},
		"customer_sentiment": {"positive", "neutral", "mixed", "negative"},
		"churn_risk":         {"low", "medium", "high"},
	}
}

// parse reads a whole corpus and checks every line: it is one JSON object, its ids are
// new, and what it refers to is above it and of the same client. That the importer
// knows every kind and field is tested where both are imported.
func parse(t *testing.T, corpus []byte) []record {
	t.Helper()
	words := allowed()
	owner := map[string]string{} // kind/id to client
	var records []record
	lines := bufio.NewScanner(bytes.NewReader(corpus))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var r record
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		if err := dec.Decode(&r); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		if _, err := dec.Token(); err != io.EOF {
			t.Fatalf("line %d: more than one value", n)
		}
		kind := r.text("kind")
		for field, value := range r {
			if words, ok := words[field]; ok && value != nil && !slices.Contains(words, value.(string)) {
				t.Errorf("line %d: %s.%s is %q", n, kind, field, value)
			}
		}
		client, id := r.text("client_id"), r.text("id")
		switch kind {
		case "client":
			client = id
		case "measurement_snapshot":
			id = r.text("snapshot_id")
		}
		checkOwn(t, n, owner, kind, id, client)
		checkReferences(t, n, owner, r, client)
		records = append(records, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return records
}

func checkOwn(t *testing.T, n int, owner map[string]string, kind, id, client string) {
	t.Helper()
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id || parsed.Variant() != uuid.RFC4122 {
		t.Fatalf("line %d: %q is no UUID", n, id)
	}
	if _, taken := owner["any/"+id]; taken {
		t.Fatalf("line %d: the id %s is used twice", n, id)
	}
	owner["any/"+id], owner[kind+"/"+id] = client, client
}

func checkReferences(t *testing.T, n int, owner map[string]string, r record, client string) {
	t.Helper()
	if owner["client/"+client] != client {
		t.Fatalf("line %d: no client %s above", n, client)
	}
	refer := func(kind, id string) {
		if got, ok := owner[kind+"/"+id]; !ok || got != client {
			t.Fatalf("line %d: no %s %s of client %s above", n, kind, id, client)
		}
	}
	for field, kind := range map[string]string{
		"conversation_goal_id": "campaign", "lane_id": "lane", "measurement_snapshot_id": "measurement_snapshot",
	} {
		if id := r.text(field); id != "" {
			refer(kind, id)
		}
	}
	ids, _ := r["source_interview_ids"].([]any)
	for _, id := range ids {
		refer("interview", id.(string))
	}
}

func ofKind(records []record, kind string) []record {
	var found []record
	for _, r := range records {
		if r.text("kind") == kind {
			found = append(found, r)
		}
	}
	return found
}

// brokenRules is the usable rule, written a second time: the names of what
// keeps an interview out.
func brokenRules(interview, campaign record) []string {
	var broken []string
	add := func(holds bool, rule string) {
		if !holds {
			broken = append(broken, rule)
		}
	}
	status := interview.text("status")
	add(status == "completed" || status == "analyzed", "status "+status)
	add(!interview.is("is_test"), "is_test")
	duration, known := interview["duration_seconds"].(float64)
	add(!known || duration >= 60, "short")
	add(interview.text("engagement") != "disengaged", "disengaged")
	add(interview.text("quality") == "passed", "quality "+interview.text("quality"))
	add(interview.is("reportable"), "not reportable")
	add(interview.is("client_safe"), "not client_safe")
	if campaign != nil {
		add(campaign.text("launch_status") == "live", "campaign "+campaign.text("launch_status"))
		active, known := campaign["active"].(bool)
		add(!known || active, "campaign not active")
	}
	return broken
}

// campaignsByID makes brokenRules' second argument easy to find.
func campaignsByID(records []record) map[string]record {
	byID := map[string]record{}
	for _, c := range ofKind(records, "campaign") {
		byID[c.text("id")] = c
	}
	return byID
}

func campaignOf(byID map[string]record, interview record) record {
	return byID[interview.text("conversation_goal_id")]
}
