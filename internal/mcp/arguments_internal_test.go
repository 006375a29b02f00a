package mcp

import (
	"encoding/json"
	"testing"
)

var listInterviews = tool{
	Flags: []string{"include_basis"}, Integers: []string{"limit"}, Texts: []string{"status"},
}

// What a query carries is what was sent.
func TestParseArguments(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		``:                                       ``,
		`null`:                                   ``,
		`{}`:                                     ``,
		`{ "limit" : 5 , "status" : "a b&c=%" }`: `limit=5&status=a+b%26c%3D%25`,
		`{"limit":5.0}`:                          `limit=5`,
		`{"limit":5.5}`:                          `limit=5.5`,
		`{"limit":"5"}`:                          `limit=%225%22`,
		`{"limit":[5]}`:                          `limit=%5B5%5D`,
		`{"limit":null,"status":null,"include_basis":null}`:    ``,
		`{"status":12345678901234567890.50}`:                   `status=12345678901234567890.50`,
		`{"st\u0061tus":"\ud83d\ude00\n"}`:                     `status=%F0%9F%98%80%0A`,
		`{"date_from":["2026"]}`:                               `date_from=%5B%222026%22%5D`,
		`{"unheard_of":true}`:                                  `unheard_of=true`,
		`{"include_basis":false,"Include_Basis":true,"":"\""}`: `=%22&Include_Basis=true`,
	} {
		query, flags, err := listInterviews.parseArguments(json.RawMessage(raw))
		if err != nil || query.Encode() != want || flags["include_basis"] {
			t.Errorf("%s: got %s, flags %v (%v), want %s", raw, query.Encode(), flags, err, want)
		}
	}
	if _, flags, err := listInterviews.parseArguments(json.RawMessage(`{"include_basis":true}`)); err != nil || !flags["include_basis"] {
		t.Errorf("include_basis: got %v (%v)", flags, err)
	}
	for _, raw := range []string{
		`[]`, `"a"`, `5`, `{"include_basis":1}`, `{"include_basis":"true"}`, `{"status":["a"]}`, `{"status":{}}`, `{"status":false}`,
	} {
		if query, _, err := listInterviews.parseArguments(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: got %v, want an error", raw, query)
		}
	}
}
