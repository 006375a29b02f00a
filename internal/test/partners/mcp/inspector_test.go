//go:build partners

package mcp_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
)

const inspector = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// The inspector lists what each key may see, finds no fault with it that is an
// error, calls it, and distinguishes a refusal from a result.
func TestInspector(t *testing.T) {
	srv, _ := start(t)
	address := srv.URL + endpoint
	for name, c := range map[string]struct {
		scopes []auth.Scope
		tools  []string
	}{
		"full":      {auth.All(), []string{"get_interview_analytics", "get_synthesis_document", "list_campaigns", "list_interviews", "search_customer_intelligence"}},
		"default":   {auth.Default(), []string{"get_interview_analytics", "get_synthesis_document", "list_campaigns", "list_interviews"}},
		"campaigns": {[]auth.Scope{auth.ReadCampaigns}, []string{"list_campaigns"}},
	} {
		t.Run(name, func(t *testing.T) {
			header := "Authorization: Bearer " + srv.Issue(t, apikey.Request{Client: "globex", Name: name, Scopes: c.scopes}).Key
			ask := func(wantExit int, args ...string) string {
				t.Helper()
				args = append([]string{"--cli", address, "--transport", "http", "--header", header}, args...)
				stdout, stderr, exit := run(t, inspector, args...)
				if exit != wantExit {
					t.Fatalf("%v: exit %d, want %d:\n%s%s", args[6:], exit, wantExit, stdout, stderr)
				}
				return stdout
			}
			var list struct{ Tools []struct{ Name string } }
			decode(t, ask(0, "--method", "tools/list", "--strict"), &list)
			got := []string{}
			for _, tool := range list.Tools {
				got = append(got, tool.Name)
			}
			if strings.Join(got, " ") != strings.Join(c.tools, " ") {
				t.Fatalf("lists %v, want %v", got, c.tools)
			}
			for _, tool := range c.tools {
				args := []string{"--method", "tools/call", "--tool-name", tool}
				if tool == "search_customer_intelligence" {
					args = append(args, "--tool-arg", "q=late")
				}
				var answer struct {
					IsError           bool
					StructuredContent struct {
						Meta map[string]any
					}
				}
				decode(t, ask(0, args...), &answer)
				if answer.IsError || answer.StructuredContent.Meta["measurement_mode"] != "canonical" {
					t.Errorf("%s answers %+v", tool, answer)
				}
			}
			const toolRefused = 5
			if refused := ask(toolRefused, "--method", "tools/call", "--tool-name", "list_campaigns", "--tool-arg", "limit=0"); !strings.Contains(refused, "invalid_parameter") {
				t.Errorf("a refusal is shown as %s", refused)
			}
		})
	}
}
