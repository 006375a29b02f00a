package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// What no query could carry is refused as the parameter that it is for would be, in words
// for arguments; nothing of it is logged.
func TestArguments_Refused(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	const wanted = "limit must be a whole number from 1 to 200, in plain digits, not "
	const noCursor = "starting_after was not issued for this list: "
	for arguments, want := range map[string][2]string{
		`{"limit":true}`:                            {"invalid_parameter", wanted + `"true"`},
		`{"limit":{"gt":5}}`:                        {"invalid_parameter", wanted + `"{\"gt\":5}"`},
		`{"limit":5e0}`:                             {"invalid_parameter", wanted + `"5e0"`},
		`{"limit":5.5}`:                             {"invalid_parameter", wanted + `"5.5"`},
		`{"limit":"5"}`:                             {"invalid_parameter", wanted + `"\"5\""`},
		`{"include_basis":1}`:                       {"invalid_parameter", "include_basis must be true or false"},
		`{"include_rows":true}`:                     {"unknown_parameter", `"include_rows" is not an argument of this tool; it takes campaign_id, date_from, date_to, limit, starting_after, status, include_basis, include_transcripts`},
		`{"status":["` + marker + `"]}`:             {"invalid_parameter", "status must be a text"},
		`{"status":"\u0000"}`:                       {"invalid_parameter", "status contains a NUL character, which no value does"},
		`{"status":""}`:                             {"invalid_parameter", "status is empty; give a value or leave it out"},
		`{"starting_after":{}}`:                     {"invalid_cursor", noCursor},
		`{"updated_since":[]}`:                      {"updated_since_unsupported", "updated_since is not supported on interviews"},
		`{"` + marker + `":5}`:                      {"unknown_parameter", `"` + marker + `" is not an argument of this tool; it takes campaign_id, `},
		`{"date_from":"` + marker + `"}`:            {"invalid_parameter", `date_from "` + marker + `" `},
		`{"date_from":"2026-01-01T00:00:00 02:00"}`: {"invalid_parameter", `date_from "2026-01-01T00:00:00 02:00" `},
	} {
		for _, revision := range revisions {
			r := agent{srv, srv.KeyFor(t, "acme"), revision}.call(t, "list_interviews", arguments)
			var e struct{ Error, Details, Code string }
			if err := json.Unmarshal([]byte(r.Content[0].Text), &e); err != nil || !r.IsError || r.StructuredContent != nil {
				t.Fatalf("%.80s: isError %v, structured %s, text %s (%v)", arguments, r.IsError, r.StructuredContent, r.Content[0].Text, err)
			}
			if e.Code != want[0] || !strings.HasPrefix(e.Details, want[1]) || strings.Contains(e.Error, "query") || strings.Contains(e.Details, "in a URL") {
				t.Errorf("%.80s:\n got %s: %s\nwant %s: %s", arguments, e.Code, e.Details, want[0], want[1])
			}
		}
	}
	check.Lacks(t, srv.Logs.String(), marker, "an argument is in the log")
	for _, word := range []string{`"operation":"list_interviews"`, `"tool_status":400`, `"error":"invalid_cursor"`} {
		check.Contains(t, srv.Logs.String(), word, "the log")
	}
}

// Several hosts send null for each optional argument that they do not give. It is then
// that argument left out, in the scope of the basis too.
func TestArguments_NullIsLeftOut(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seedEqual(t, seed, "globex")
	for i, tool := range []string{"list_interviews", "list_campaigns", "get_synthesis_document", "get_interview_analytics", "search_customer_intelligence"} {
		a := agent{srv, srv.KeyFor(t, "globex"), revisions[i%len(revisions)]}
		query, arguments := "", map[string]any{}
		for _, listed := range a.tools(t) {
			var schema struct{ Properties map[string]json.RawMessage }
			require.NoError(t, json.Unmarshal(listed.InputSchema, &schema))
			for name := range schema.Properties {
				if listed.Name == tool {
					arguments[name] = nil
				}
			}
		}
		if tool == "search_customer_intelligence" {
			arguments["q"], arguments["limit"], query = "late", json.RawMessage("5.0"), "?q=late&limit=5"
		}
		text, err := json.Marshal(arguments)
		require.NoError(t, err)
		check.Equal(t, equal(t, a, tool, string(text), routes[tool]+query), 1, "nulls to", tool)
	}
}
