package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/clientintel/clientintel/internal/auth"
)

// revision is the protocol revision of the messages sent.
const revision = "2025-11-25"

// tool is an MCP tool and the REST route whose response it must equal.
type tool struct {
	name      string
	scope     auth.Scope
	path      string
	arguments map[string]any
}

// tools have REST's parameters as arguments; those that begin with include_ ask for what
// a tool leaves out of long responses.
func tools() []tool {
	return []tool{
		{"get_interview_analytics", auth.ReadInterviewsMetadata, "/analytics/interviews", map[string]any{"include_basis": true, "include_rows": true}},
		{"list_interviews", auth.ReadInterviewsMetadata, "/interviews", map[string]any{"limit": 5, "include_basis": true}},
		{"search_customer_intelligence", auth.ReadCustomExtraction, "/intelligence/search", map[string]any{"q": "e", "limit": 3}},
		{"get_synthesis_document", auth.ReadSynthesis, "/synthesis", map[string]any{"surface": "portal", "type": "home", "limit": 1, "include_basis": true}},
		{"list_campaigns", auth.ReadCampaigns, "/campaigns", map[string]any{"limit": 5}},
	}
}

// checkMCP compares the MCP endpoint with REST.
func (r *run) checkMCP(ctx context.Context, key *apiKey) {
	r.check("agents/tools_of_the_scopes", key, func() error { return r.checkToolList(ctx, key) })
	for _, t := range tools() {
		r.check("agents/"+t.name, key, func() error {
			if !key.scopes[t.scope] {
				return r.checkHiddenTool(ctx, key, t)
			}
			err := r.compareTool(ctx, key, t)
			if err != nil && !isSkipped(err) {
				// A write between the two requests makes them differ: compare a second pair.
				err = r.compareTool(ctx, key, t)
			}
			return err
		})
	}
}

// checkToolList connects as a host does, and compares the tools listed with the key's
// scopes.
func (r *run) checkToolList(ctx context.Context, key *apiKey) error {
	if err := r.call(ctx, key, "initialize", map[string]any{
		"protocolVersion": revision, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "clientintel conformance", "version": "1"},
	}, &struct{}{}); err != nil {
		return err
	}
	var listed struct {
		Tools []struct{ Name string }
	}
	if err := r.call(ctx, key, "tools/list", map[string]any{}, &listed); err != nil {
		return err
	}
	var want, got []string
	for _, t := range tools() {
		if key.scopes[t.scope] {
			want = append(want, t.name)
		}
	}
	for _, t := range listed.Tools {
		got = append(got, t.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Errorf("tools/list shows %v, the key's scopes are those of %v", got, want)
	}
	return nil
}

// toolResult is the result of tools/call.
type toolResult struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

// checkHiddenTool calls a tool that the key must not see.
func (r *run) checkHiddenTool(ctx context.Context, key *apiKey, t tool) error {
	var result toolResult
	err := r.call(ctx, key, "tools/call", map[string]any{"name": t.name, "arguments": t.arguments}, &result)
	switch {
	case errors.Is(err, errProtocol):
		return nil
	case err == nil && !result.IsError:
		return fmt.Errorf("%s answers a key that lacks %s", t.name, t.scope)
	}
	return err
}

// compareTool compares a tool's result with REST's response. A tool may end a page
// early. The page then is REST's of that many rows, cursor included.
func (r *run) compareTool(ctx context.Context, key *apiKey, t tool) error {
	var result toolResult
	if err := r.call(ctx, key, "tools/call", map[string]any{"name": t.name, "arguments": t.arguments}, &result); err != nil {
		return err
	}
	if result.IsError || len(result.Content) != 1 {
		return fmt.Errorf("%s answers an error, or not one text", t.name)
	}
	got, text := timeless(result.StructuredContent), timeless([]byte(result.Content[0].Text))
	if at := firstDifference("", got, text); at != "" {
		return fmt.Errorf("%s: the text differs from the structuredContent at %s", t.name, at)
	}
	query := url.Values{}
	for name, value := range t.arguments {
		if !strings.HasPrefix(name, "include_") {
			query.Set(name, fmt.Sprint(value))
		}
	}
	rows, _ := got["data"].([]any)
	if meta, _ := got["meta"].(map[string]any); meta["has_more"] == true && len(rows) > 0 {
		query.Set("limit", strconv.Itoa(len(rows)))
	}
	rest, err := r.get(ctx, key, t.path+"?"+query.Encode())
	if err != nil {
		return err
	}
	if at := firstDifference("", timeless(rest.body), got); at != "" {
		return fmt.Errorf("%s: the structuredContent differs from %s at %s", t.name, rest, at)
	}
	return nil
}

// timeless is an envelope without the fields that depend on the time of reading; nil if
// it is no JSON object.
func timeless(body []byte) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // a float would lose digits
	var envelope map[string]any
	if decoder.Decode(&envelope) != nil {
		return nil
	}
	removeTimes(envelope)
	return envelope
}

func removeTimes(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range []string{"measurement_as_of", "as_of", "preview_id", "live_as_of"} {
			delete(value, name)
		}
		for _, below := range value {
			removeTimes(below)
		}
	case []any:
		for _, below := range value {
			removeTimes(below)
		}
	}
}

// errProtocol marks a JSON-RPC error.
var errProtocol = errors.New("a JSON-RPC error")

// call sends one message and reads its result.
func (r *run) call(ctx context.Context, key *apiKey, method string, params map[string]any, into any) error {
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	res, err := r.send(ctx, key, http.MethodPost, "/mcp", http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {revision},
	}, message)
	if err != nil {
		return err
	}
	if err := res.want(http.StatusOK); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var response struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(res.body, &response); err != nil {
		return fmt.Errorf("%s: the answer is no JSON-RPC message", method)
	}
	if response.Error != nil {
		return fmt.Errorf("%s answers %w: %s", method, errProtocol, response.Error.Message)
	}
	if err := json.Unmarshal(response.Result, into); err != nil {
		return fmt.Errorf("%s: the result is not as the protocol has it", method)
	}
	return nil
}
