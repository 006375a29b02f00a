package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"github.com/clientintel/clientintel/internal/auth"
)

// revision is the protocol revision of the messages sent.
const revision = "2025-11-25"

// tool is an MCP tool and the REST route whose response it must equal.
type tool struct {
	name      string
	scope     auth.Scope
	path      string
	arguments url.Values
	// flags ask for what a tool leaves out of long responses.
	flags []string
}

// tools are in the order that tools/list has.
func tools() []tool {
	return []tool{
		{"get_interview_analytics", auth.ReadInterviewsMetadata, "/analytics/interviews", nil, []string{"include_basis", "include_rows"}},
		{"list_interviews", auth.ReadInterviewsMetadata, "/interviews", url.Values{"limit": {"3"}}, []string{"include_basis"}},
		{"search_customer_intelligence", auth.ReadCustomExtraction, "/intelligence/search", url.Values{"q": {"e"}, "limit": {"3"}}, nil},
		{"get_synthesis_document", auth.ReadSynthesis, "/synthesis", url.Values{"surface": {"portal"}, "type": {"home"}, "limit": {"1"}}, []string{"include_basis"}},
		{"list_campaigns", auth.ReadCampaigns, "/campaigns", url.Values{"limit": {"3"}}, nil},
	}
}

// checkMCP compares the MCP endpoint with REST.
func (r *run) checkMCP(ctx context.Context, key *apiKey) {
	r.check("agents/initialize", key, func() error {
		var initialized struct {
			ProtocolVersion string `json:"protocolVersion"`
			Instructions    string `json:"instructions"`
		}
		if err := r.call(ctx, key, "initialize", map[string]any{
			"protocolVersion": revision, "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "clientintel conformance", "version": "1"},
		}, &initialized); err != nil {
			return err
		}
		if initialized.ProtocolVersion != revision || initialized.Instructions == "" {
			return fmt.Errorf("initialize answers protocol %q and instructions: %v", initialized.ProtocolVersion, initialized.Instructions != "")
		}
		return nil
	})
	r.check("agents/tools_of_the_scopes", key, func() error {
		var want, got []string
		for _, t := range tools() {
			has, err := key.known(t.scope)
			if err != nil {
				return err
			}
			if has {
				want = append(want, t.name)
			}
		}
		var listed struct {
			Tools []struct {
				Name         string          `json:"name"`
				InputSchema  json.RawMessage `json:"inputSchema"`
				OutputSchema json.RawMessage `json:"outputSchema"`
				Annotations  struct {
					ReadOnly bool `json:"readOnlyHint"`
				} `json:"annotations"`
			} `json:"tools"`
		}
		if err := r.call(ctx, key, "tools/list", map[string]any{}, &listed); err != nil {
			return err
		}
		for _, t := range listed.Tools {
			got = append(got, t.Name)
			if t.InputSchema == nil || t.OutputSchema == nil || !t.Annotations.ReadOnly {
				return fmt.Errorf("tools/list: %s lacks a schema or the read-only hint", t.Name)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			return fmt.Errorf("tools/list shows %v, the key's scopes are those of %v", got, want)
		}
		return nil
	})
	for _, t := range tools() {
		r.check("agents/"+t.name, key, func() error { return r.checkTool(ctx, key, t) })
	}
}

// toolResult is the result of tools/call.
type toolResult struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

func (r *run) checkTool(ctx context.Context, key *apiKey, t tool) error {
	has, err := key.known(t.scope)
	if err != nil {
		return err
	}
	if !has {
		var result toolResult
		err := r.call(ctx, key, "tools/call", t.params(), &result)
		switch {
		case errors.Is(err, errProtocol):
			return nil
		case err == nil && !result.IsError:
			return fmt.Errorf("%s answers a key that lacks %s", t.name, t.scope)
		}
		return err
	}
	_, err = r.compareTool(ctx, key, t)
	if err != nil && !isSkipped(err) {
		// A write between the two requests makes them differ: compare a second pair.
		_, err = r.compareTool(ctx, key, t)
	}
	return err
}

// compareTool compares a tool's result with REST's response, and returns REST's rows.
func (r *run) compareTool(ctx context.Context, key *apiKey, t tool) ([]any, error) {
	path := t.path
	if len(t.arguments) > 0 {
		path += "?" + t.arguments.Encode()
	}
	rest, err := r.getOK(ctx, key, path)
	if err != nil {
		return nil, err
	}
	var result toolResult
	if err := r.call(ctx, key, "tools/call", t.params(), &result); err != nil {
		return nil, err
	}
	if result.IsError || len(result.Content) != 1 {
		return nil, fmt.Errorf("%s answers an error, or not one text: REST answers 200", t.name)
	}
	want, err := timeless(rest.body)
	if err != nil {
		return nil, err
	}
	all, _ := want["data"].([]any) // analytics have an object
	var left int
	var cursor string
	for i, body := range [][]byte{result.Structured, []byte(result.Content[0].Text)} {
		what := []string{"structuredContent", "text"}[i]
		got, err := timeless(body)
		if err != nil {
			return nil, fmt.Errorf("%s: the %s is no JSON object", t.name, what)
		}
		if i == 0 { // the text must end where the structured content does
			left, cursor = endEarly(want, got)
		}
		if at := firstDifference("", want, got); at != "" {
			return nil, fmt.Errorf("%s: the %s differs from GET %s at %s", t.name, what, prefix+path, at)
		}
	}
	if left == 0 {
		return all, nil
	}
	// The tool's cursor must go on with REST's next row. That page may end early too.
	next := t
	next.arguments = maps.Clone(t.arguments)
	next.arguments.Set("limit", strconv.Itoa(left))
	next.arguments.Set("starting_after", cursor)
	rows, err := r.compareTool(ctx, key, next)
	if err != nil {
		return nil, err
	}
	if given := len(all) - left; !reflect.DeepEqual(rows, all[given:]) {
		return nil, fmt.Errorf("%s ends after %d rows, and its cursor does not go on with the next row of GET %s", t.name, given, prefix+path)
	}
	return all, nil
}

// shortPage is the size of rows with which no tool may end a page early. Tools do at
// some 48 KiB, which a deployment may measure otherwise.
const shortPage = 24 << 10

// endEarly shortens REST's page where a tool may have ended it: after a row, with a
// cursor, when the next row would make the page too long. It returns how many rows
// are left for the tool's cursor.
func endEarly(want, got map[string]any) (int, string) {
	all, _ := want["data"].([]any)
	rows, _ := got["data"].([]any)
	meta, _ := want["meta"].(map[string]any)
	gotMeta, _ := got["meta"].(map[string]any)
	_, isPage := meta["has_more"] // a search has no pages
	cursor, _ := gotMeta["next_cursor"].(string)
	if !isPage || len(rows) == 0 || len(rows) >= len(all) || cursor == "" {
		return 0, ""
	}
	if text, err := json.Marshal(all[:len(rows)+1]); err != nil || len(text) <= shortPage {
		return 0, ""
	}
	want["data"] = all[:len(rows)]
	meta["count"], meta["has_more"], meta["next_cursor"] = json.Number(strconv.Itoa(len(rows))), true, cursor
	return len(all) - len(rows), cursor
}

func (t tool) params() map[string]any {
	arguments := map[string]any{}
	for name, values := range t.arguments {
		arguments[name] = values[0]
		if n, err := strconv.Atoi(values[0]); err == nil {
			arguments[name] = n
		}
	}
	for _, name := range t.flags {
		arguments[name] = true
	}
	return map[string]any{"name": t.name, "arguments": arguments}
}

// timeless is an envelope without the fields that depend on the time of reading.
func timeless(body []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // a float would lose digits
	var envelope map[string]any
	if err := decoder.Decode(&envelope); err != nil {
		return nil, err
	}
	if meta, ok := envelope["meta"].(map[string]any); ok {
		delete(meta, "measurement_as_of")
		if basis, ok := meta["measurement_basis"].(map[string]any); ok {
			delete(basis, "as_of")
			delete(basis, "preview_id")
		}
	}
	// When a saved basis was compared with the live one.
	data, _ := envelope["data"].([]any)
	for _, row := range data {
		body, _ := row.(map[string]any)
		integrity, _ := body["measurement_integrity"].(map[string]any)
		if freshness, ok := integrity["freshness"].(map[string]any); ok {
			delete(freshness, "live_as_of")
		}
	}
	return envelope, nil
}

// errProtocol marks a JSON-RPC error.
var errProtocol = errors.New("a JSON-RPC error")

// call sends one message and reads its result.
func (r *run) call(ctx context.Context, key *apiKey, method string, params map[string]any, into any) error {
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	res, err := r.send(ctx, key, http.MethodPost, prefix+"/mcp", http.Header{
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
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(res.body, &response); err != nil {
		return fmt.Errorf("%s: the answer is no JSON-RPC message", method)
	}
	if response.Error != nil {
		return fmt.Errorf("%s answers %w, %d: %s", method, errProtocol, response.Error.Code, response.Error.Message)
	}
	if err := json.Unmarshal(response.Result, into); err != nil {
		return fmt.Errorf("%s: the result is not as the protocol has it", method)
	}
	return nil
}
