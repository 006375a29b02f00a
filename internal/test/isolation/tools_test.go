package isolation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// delegates are the operations that tools ask.
var delegates = map[string]string{
	"get_interview_analytics":      "getInterviewAnalytics",
	"get_synthesis_document":       "listSynthesis",
	"list_campaigns":               "listCampaigns",
	"list_interviews":              "listInterviews",
	"search_customer_intelligence": "searchIntelligence",
}

// tool is one of tools/list: its name, and the JSON types of its arguments.
type tool struct {
	Name        string
	InputSchema struct {
		Properties map[string]struct{ Type any }
	}
}

// askTools puts what is the other's into each argument of each tool.
func (p *pair) askTools(t *testing.T) {
	t.Helper()
	byID := map[string]operation{}
	for _, o := range operations(t) {
		byID[o.id] = o
	}
	var listed struct{ Result struct{ Tools []tool } }
	post(t, p.both, p.both.keys[p.mine.name].next(), "tools/list", "{}").Decode(t, &listed)
	if len(listed.Result.Tools) < len(delegates) {
		t.Errorf("tools/list names %d tools, want at least %d", len(listed.Result.Tools), len(delegates))
	}
	for _, tool := range listed.Result.Tools {
		o, known := byID[delegates[tool.Name]]
		if !known {
			t.Errorf("the tool %s is not known here: say in delegates which operation it asks", tool.Name)
			continue
		}
		p.askTool(t, tool, "{}")
		for name := range tool.InputSchema.Properties {
			theirs := of(p.theirs.values(), o.id, name)
			if len(theirs) == 0 {
				t.Errorf("%s takes %s: add values for it to client.values", tool.Name, name)
			}
			for _, query := range append(theirs, of(p.theirs.hidden(), o.id, name)...) {
				query = o.complete(t, p.theirs, query)
				if name == "starting_after" {
					query += "&starting_after=" + p.theirCursor(t, o.path+"?"+query)
				}
				p.askTool(t, tool, tool.arguments(t, query))
			}
		}
	}
}

func (p *pair) askTool(t *testing.T, tool tool, arguments string) {
	t.Helper()
	params := fmt.Sprintf(`{"name": %q, "arguments": %s}`, tool.Name, arguments)
	p.want(t, tool.Name+" "+arguments, func(w *installation, key string) *apitest.Response {
		return post(t, w, key, "tools/call", params).WantStatus(t, http.StatusOK)
	})
}

// arguments are a query as the tool takes it.
func (tool tool) arguments(t *testing.T, query string) string {
	t.Helper()
	given, err := url.ParseQuery(query)
	require.NoError(t, err)
	arguments := map[string]any{}
	for name := range given {
		arguments[name] = given.Get(name)
		switch tool.InputSchema.Properties[name].Type {
		case "integer", "boolean":
			arguments[name] = json.RawMessage(given.Get(name))
		}
	}
	text, err := json.Marshal(arguments)
	require.NoError(t, err)
	return string(text)
}

func post(t *testing.T, w *installation, key, method, params string) *apitest.Response {
	t.Helper()
	return w.Post(t, "/api/client/v1/mcp", key, http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-11-25"},
	}, strings.NewReader(fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": %q, "params": %s}`, method, params)))
}
