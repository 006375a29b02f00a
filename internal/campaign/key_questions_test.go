package campaign

import (
	"encoding/json"
	"testing"
)

func TestCanonicalQuestions(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		``:     `[]`,
		`null`: `[]`,
		`[]`:   `[]`,
		`["Why?", "How \"so\"?", "Caf\u00e9 é"]`: `[{"id":"q1","question":"Why?"},{"id":"q2","question":"How \"so\"?"},{"id":"q3","question":"Caf\u00e9 é"}]`,
		`[""]`: `[{"id":"q1","question":""}]`,
		`[{"id": "why", "weight": 1.50, "question": "Why?"}, {"question": "How?", "id": "how"}]`: `[{"id": "why", "weight": 1.50, "question": "Why?"}, {"question": "How?", "id": "how"}]`,
		// No import makes such a list, but the table could hold it.
		`[{"id": "why", "question": "Why?"}, "How?"]`: `[{"id": "why", "question": "Why?"},{"id":"q2","question":"How?"}]`,
	} {
		var in json.RawMessage
		if stored != "" {
			in = json.RawMessage(stored)
		}
		got, err := canonicalQuestions(in)
		if err != nil || string(got) != want {
			t.Errorf("canonicalQuestions(%s) = %s, %v; want %s", stored, got, err, want)
		}
	}
	if _, err := canonicalQuestions(json.RawMessage(`{"q1": "Why?"}`)); err == nil {
		t.Error("an object passed for a list")
	}
}
