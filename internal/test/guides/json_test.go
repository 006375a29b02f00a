package guides_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// tryJSONBlock does with a configuration what the program that it is for would
// do first: ask the service, at the address and with the key that it names.
// JSON that no test runs is an error.
func (w *sandbox) tryJSONBlock(ctx context.Context, b block) error {
	var config map[string]any
	if err := json.Unmarshal([]byte(b.text), &config); err != nil {
		return fmt.Errorf("this is not a JSON object: %w", err)
	}
	if _, isDLT := config["resources"]; isDLT {
		return w.tryDLT(ctx, config)
	}
	tried := 0
	for _, server := range mcpServers(config) {
		tried++
		names, err := listTools(ctx, server.url, w.filled(server.authorization))
		if err != nil {
			return err
		}
		if want := slices.Sorted(maps.Keys(toolRoutes())); !slices.Equal(names, want) {
			return fmt.Errorf("the host would see %v, want %v", names, want)
		}
	}
	if tried == 0 {
		return errors.New("no test knows what this JSON configures")
	}
	return nil
}

var hostVariable = regexp.MustCompile(`\$\{(?:env:|input:)?([A-Za-z_-]+)\}`)

// filled puts the reader's key where a host would: in place of a variable of its
// environment, of an answer to its prompt, or of the placeholder.
func (w *sandbox) filled(authorization string) string {
	authorization = strings.ReplaceAll(authorization, placeholder, w.key)
	return hostVariable.ReplaceAllStringFunc(authorization, func(variable string) string {
		switch hostVariable.FindStringSubmatch(variable)[1] {
		case "CLIENTINTEL_KEY":
			return w.env["CLIENTINTEL_KEY"]
		case "clientintel-key":
			return w.key // typed in
		}
		return variable
	})
}

type mcpServer struct{ url, authorization string }

// mcpServers are the servers that a host's configuration names, wherever it
// keeps them. Hosts either send the header as it is, or put Bearer before a
// token.
func mcpServers(config any) []mcpServer {
	var found []mcpServer
	switch value := config.(type) {
	case []any:
		for _, item := range value {
			found = append(found, mcpServers(item)...)
		}
	case map[string]any:
		url, ok := value["url"].(string)
		if !ok {
			url, ok = value["server_url"].(string)
		}
		if !ok {
			for _, item := range value {
				found = append(found, mcpServers(item)...)
			}
			return found
		}
		server := mcpServer{url: url}
		if headers, ok := value["headers"].(map[string]any); ok {
			server.authorization, _ = headers["Authorization"].(string)
		}
		if token, ok := value["authorization_token"].(string); ok {
			server.authorization = "Bearer " + token
		}
		found = append(found, server)
	}
	return found
}

// listTools asks an endpoint for its tools, as a host does on connecting.
func listTools(ctx context.Context, url, authorization string) ([]string, error) {
	if !strings.HasSuffix(url, prefix+"/mcp") {
		return nil, fmt.Errorf("%s is not where the tools are", url)
	}
	message := []byte(`{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Authorization": authorization, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25",
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal(body, &answer); err != nil || res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %s", res.StatusCode, body)
	}
	var names []string
	for _, tool := range answer.Result.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names, nil
}

// dltConfig is what the guide uses of dlt's rest_api source.
type dltConfig struct {
	Client struct {
		BaseURL   string `json:"base_url"`
		Auth      struct{ Type, Token string }
		Paginator struct {
			Type        string
			CursorPath  string `json:"cursor_path"`
			CursorParam string `json:"cursor_param"`
		}
	}
	Defaults struct {
		PrimaryKey string `json:"primary_key"`
		Endpoint   struct {
			DataSelector string `json:"data_selector"`
			Params       map[string]any
		}
	} `json:"resource_defaults"`
	Resources []struct {
		Name     string
		Endpoint struct{ Path string }
	}
}

// tryDLT walks each resource by the configuration alone, as dlt does.
func (w *sandbox) tryDLT(ctx context.Context, raw map[string]any) error {
	text, err := json.Marshal(raw)
	if err != nil {
		return err
	}
	var config dltConfig
	if err := json.Unmarshal(text, &config); err != nil {
		return err
	}
	if config.Client.Auth.Type != "bearer" || config.Client.Paginator.Type != "cursor" || len(config.Resources) != 3 {
		return fmt.Errorf("no test knows how dlt reads this: %s", text)
	}
	for _, resource := range config.Resources {
		rows, err := w.walkByConfig(ctx, config, resource.Endpoint.Path)
		if err != nil {
			return fmt.Errorf("%s: %w", resource.Name, err)
		}
		if len(rows) < 6 {
			return fmt.Errorf("%s has %d rows, want the demo's", resource.Name, len(rows))
		}
	}
	return nil
}

// walkByConfig counts the primary keys that a walk brings, in pages of two so
// that there are many.
func (w *sandbox) walkByConfig(ctx context.Context, config dltConfig, path string) (map[string]bool, error) {
	rows, cursor := map[string]bool{}, ""
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Client.BaseURL+path, nil)
		if err != nil {
			return nil, err
		}
		query := req.URL.Query()
		for name, value := range config.Defaults.Endpoint.Params {
			query.Set(name, fmt.Sprint(value))
		}
		if query.Get("limit") != "200" {
			return nil, fmt.Errorf("the pages are of %q rows", query.Get("limit"))
		}
		query.Set("limit", "20")
		if cursor != "" {
			query.Set(config.Client.Paginator.CursorParam, cursor)
		}
		req.URL.RawQuery = query.Encode()
		req.Header.Set("Authorization", "Bearer "+w.filled(config.Client.Auth.Token))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		var page map[string]any
		if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal(body, &page) != nil {
			return nil, fmt.Errorf("status %d: %s", res.StatusCode, body)
		}
		data, _ := page[config.Defaults.Endpoint.DataSelector].([]any)
		for _, item := range data {
			fields, _ := item.(map[string]any)
			id, _ := fields[config.Defaults.PrimaryKey].(string)
			rows[id] = true
		}
		var at any = page
		for _, step := range strings.Split(config.Client.Paginator.CursorPath, ".") {
			object, _ := at.(map[string]any)
			next, ok := object[step]
			if at = next; !ok {
				return nil, fmt.Errorf("an answer has no %s", config.Client.Paginator.CursorPath)
			}
		}
		if at == nil {
			return rows, nil
		}
		cursor, _ = at.(string)
	}
}

// dltSettings are the words of dlt's configuration, which are dlt's own.
func dltSettings() map[string]bool {
	return map[string]bool{
		"base_url": true, "cursor_path": true, "cursor_param": true, "resource_defaults": true, "primary_key": true,
		"write_disposition": true, "max_table_nesting": true, "data_selector": true, "columns": true,
		"data_type": true,
	}
}

// A configuration that a host could not use is found out.
func TestTryJSONBlock_FindsWhatDoesNotConnect(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	w := newSandbox(t, srv.URL, srv.KeyFor(t, "acme"))
	good := fmt.Sprintf(`{"servers": {"ci": {"url": "%s/api/client/v1/mcp", "headers": {"Authorization": "Bearer ${CLIENTINTEL_KEY}"}}}}`, srv.URL)
	if err := w.tryJSONBlock(t.Context(), block{text: good}); err != nil {
		t.Errorf("a good configuration: %v", err)
	}
	for name, text := range map[string]string{
		"no JSON":             good[1:],
		"nothing known":       `{"name": "value"}`,
		"another path":        strings.Replace(good, "/mcp", "/tools", 1),
		"no bearer":           strings.Replace(good, "Bearer ", "", 1),
		"an unknown variable": strings.Replace(good, "CLIENTINTEL_KEY", "CLIENTINTEL_TOKEN", 1),
	} {
		if err := w.tryJSONBlock(t.Context(), block{text: text}); err == nil {
			t.Errorf("%s: taken for a good configuration", name)
		}
	}
}

// A key sees the tools whose scope the agent guide's table names, and no other.
func TestAgentGuide_ToolsFollowTheScopesItNames(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	v := readVocabulary(t)
	for _, scope := range auth.All() {
		var want []string
		for tool, route := range toolRoutes() {
			if v.scopes[route] == string(scope) {
				want = append(want, tool)
			}
		}
		slices.Sort(want)
		got, err := listTools(t.Context(), srv.URL+prefix+"/mcp", "Bearer "+srv.KeyFor(t, "acme", scope))
		if err != nil {
			t.Fatalf("%s: %v", scope, err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %s alone a key sees %v, want %v", scope, got, want)
		}
	}
}
