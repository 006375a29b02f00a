//go:build partners

package mcp_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// calls are what each client asks: every tool once rightly, and once wrongly.
const calls = `[
	["get_interview_analytics", {"date_from": "2026-03-01", "date_to": "2026-03-31"}],
	["get_synthesis_document", {"limit": 5}],
	["get_synthesis_document", {"surface": "portal"}],
	["list_campaigns", {"status": "live"}],
	["list_interviews", {"limit": 2}],
	["search_customer_intelligence", {"q": "late"}],
	["list_interviews", {"limit": 0}]
]`

// The SDKs' own clients, of either generation and of each revision they speak,
// connect with a key alone, and find every answer to fit its output schema.
func TestTypeScriptClients(t *testing.T) {
	srv, _ := start(t)
	for _, c := range []struct{ sdk, revision string }{{"v1", "2025-11-25"}, {"v2", "2025-11-25"}, {"v2", "2026-07-28"}} {
		t.Run(c.sdk+" "+c.revision, func(t *testing.T) {
			key := fresh(t, srv, "globex")
			stdout, stderr, exit := run(t, "client.mjs", c.sdk, c.revision, srv.URL+endpoint, key, calls)
			if exit != 0 {
				t.Fatalf("exit %d:\n%s", exit, stderr)
			}
			var seen struct {
				Instructions, Unknown string
				Tools                 []string
				Results               map[string][]struct {
					IsError    bool
					Structured map[string]json.RawMessage
					Text       string
				}
			}
			decode(t, stdout, &seen)
			if len(seen.Tools) != 5 || !strings.Contains(seen.Instructions, "get_synthesis_document first") || seen.Unknown != "-32602" {
				t.Errorf("tools %v, an unknown one is %s, instructions %q", seen.Tools, seen.Unknown, seen.Instructions)
			}
			for tool, results := range seen.Results {
				for i, result := range results {
					refused := tool == "list_interviews" && i == 1
					if result.IsError != refused || (result.Structured == nil) != refused {
						t.Errorf("%s: isError is %v, structured content %s, text %s", tool, result.IsError, result.Structured, result.Text)
					}
				}
			}
			data := func(document map[string]json.RawMessage) any {
				var value any
				decode(t, string(document["data"]), &value)
				return value
			}
			if got, want := data(seen.Results["list_interviews"][0].Structured), data(rest(t, srv, "/interviews?limit=2", key)); !reflect.DeepEqual(got, want) {
				t.Errorf("list_interviews gives %v, REST %v", got, want)
			}
		})
	}
}
