package guides_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// tools are what a key with every scope sees.
var tools = []string{"get_interview_analytics", "get_synthesis_document", "list_campaigns", "list_interviews", "search_customer_intelligence"}

// tryHost does what a host of agents does first with its configuration: it asks
// the endpoint for its tools, at the address and with the key that are named.
func (w *sandbox) tryHost(t *testing.T, b block) error {
	if !json.Valid([]byte(b.text)) {
		return errors.New("the block is no JSON")
	}
	servers := mcpServers(b.text)
	if len(servers) == 0 {
		return errors.New("the block names no MCP server")
	}
	for _, server := range servers {
		names := listTools(t, server.url, w.filled(server.authorization))
		if !slices.Equal(names, tools) {
			return fmt.Errorf("the host would see %v, want %v", names, tools)
		}
	}
	return nil
}

var hostVariable = regexp.MustCompile(`\$\{(?:env:|input:)?([A-Za-z_-]+)\}`)

// filled puts the reader's key where a host would: for a variable of its
// environment, for the answer to its prompt, or for the placeholder.
func (w *sandbox) filled(authorization string) string {
	authorization = strings.ReplaceAll(authorization, placeholder, w.key)
	return hostVariable.ReplaceAllStringFunc(authorization, func(variable string) string {
		switch hostVariable.FindStringSubmatch(variable)[1] {
		case "CLIENTINTEL_KEY", "clientintel-key":
			return w.key
		}
		return variable
	})
}

type mcpServer struct{ url, authorization string }

var (
	serverURL = regexp.MustCompile(`"(?:server_)?url": "([^"]*)"`)
	sentKey   = regexp.MustCompile(`"(?:Authorization": "|authorization_token": ")(Bearer )?([^"]*)"`)
)

// mcpServers finds the servers that a host's configuration names, each with its key. Hosts
// either send the configured header or put Bearer before a token.
func mcpServers(configured string) (found []mcpServer) {
	keys := sentKey.FindAllStringSubmatch(configured, -1)
	for i, url := range serverURL.FindAllStringSubmatch(configured, -1) {
		server := mcpServer{url: url[1]}
		if i < len(keys) {
			server.authorization = "Bearer " + keys[i][2]
		}
		found = append(found, server)
	}
	return found
}

// listTools asks an endpoint for its tools, as a host does when it connects.
func listTools(t *testing.T, url, authorization string) (names []string) {
	t.Helper()
	var answer struct {
		Result struct{ Tools []struct{ Name string } }
	}
	apitest.Fetch(t, http.MethodPost, url, http.Header{
		"Authorization": {authorization}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"},
	}, strings.NewReader(`{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`)).WantStatus(t, http.StatusOK).Decode(t, &answer)
	for _, tool := range answer.Result.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}
