//go:build partners

package mcp_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
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

// The clients that agents' hosts and frameworks stand on list and call every tool. CrewAI
// sends null for each argument that the agent left out.
func TestHosts(t *testing.T) {
	srv, _ := start(t)
	python := filepath.Join(partnerserver.Python(t, "hosts/requirements.txt"), "python")
	const calls = `[
		["get_interview_analytics", {"campaign": null, "date_from": "2026-03-01", "date_to": "2026-03-31", "include_basis": null, "include_rows": null}],
		["get_synthesis_document", {"limit": 5}],
		["list_campaigns", {"status": "live"}],
		["list_interviews", {"campaign_id": null, "date_from": null, "date_to": null, "include_basis": null, "include_transcripts": null,
			"limit": 2, "starting_after": null, "status": null}],
		["search_customer_intelligence", {"q": "late"}]
	]`
	for name, command := range map[string][]string{
		"LangChain": {python, "hosts/hosts.py", "langchain"}, "FastMCP": {python, "hosts/hosts.py", "fastmcp"},
		"AI SDK": {packages.Node(t), "ai-sdk.mjs"},
	} {
		t.Run(name, func(t *testing.T) {
			key := fresh(t, srv, "globex")
			client := exec.CommandContext(t.Context(), command[0], append(command[1:], srv.URL+endpoint, key, calls)...)
			var errs bytes.Buffer
			client.Stderr = &errs
			stdout, err := client.Output()
			require.NoError(t, err, errs.String())
			var seen struct {
				Tools   []string
				Results []struct {
					Data any
					Meta struct{ Count int }
				}
			}
			decode(t, string(stdout), &seen)
			if len(seen.Tools) != 5 || len(seen.Results) != 5 {
				t.Fatalf("tools %v, %d results", seen.Tools, len(seen.Results))
			}
			var want any
			decode(t, string(rest(t, srv, "/interviews?limit=2", key)["data"]), &want)
			check.DeepEqual(t, seen.Results[3].Data, want, "list_interviews")
			for i, result := range seen.Results {
				if result.Meta.Count == 0 {
					t.Errorf("%s is empty", seen.Tools[i])
				}
			}
		})
	}
}
