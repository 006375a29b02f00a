package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// withKey adds a key to each request of the official client.
type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// The official client connects with a key alone, sees the tools and their results, and
// tells a refused argument from a tool that is not there.
func TestOfficialClient(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	id := seed.Interview(t, "acme", nil)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: srv.URL + endpoint, HTTPClient: &http.Client{Transport: withKey(srv.KeyFor(t, "acme"))}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 5 {
		t.Fatalf("listing the tools: %+v, %v", listed, err)
	}
	call := func(tool string, arguments map[string]any) (*sdk.CallToolResult, error) {
		return session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	}
	found, err := call("list_interviews", map[string]any{"limit": 1, "status": nil})
	if err != nil || found.IsError || !strings.Contains(found.Content[0].(*sdk.TextContent).Text, id) || found.StructuredContent == nil {
		t.Errorf("a call: %+v, %v", found, err)
	}
	refused, err := call("list_interviews", map[string]any{"limit": 0})
	if err != nil || !refused.IsError || !strings.Contains(refused.Content[0].(*sdk.TextContent).Text, "limit must be") {
		t.Errorf("a refused argument: %+v, %v", refused, err)
	}
	if got, err := call("delete_everything", nil); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("an unknown tool: %+v, %v", got, err)
	}
}
