package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

const endpoint = "/api/client/v1/mcp"

// revisions are the protocol revisions that the adapter speaks.
var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// agent speaks one revision of the protocol with one key.
type agent struct {
	srv      *apitest.Server
	key      string
	revision string
}

// said is a JSON-RPC answer.
type said struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// refused is an error of JSON-RPC, with the envelope of REST's error in it.
type refused struct {
	ID    json.RawMessage
	Error struct {
		Code    int
		Message string
		Data    struct{ Error, Details, Code string }
	}
}

func rpcErrorOf(t *testing.T, answer *apitest.Response) refused {
	t.Helper()
	var r refused
	answer.Decode(t, &r)
	if r.Error.Code == 0 || !strings.HasPrefix(string(answer.Body), `{"jsonrpc":"2.0",`) {
		t.Errorf("got %s, want an error of JSON-RPC", answer.Body)
	}
	return r
}

// result is a tool's.
type result struct {
	Content []struct {
		Type string
		Text string
	}
	StructuredContent json.RawMessage
	IsError           bool
}

// form are the headers of a message that is well formed.
func form(revision, method, name string) http.Header {
	h := http.Header{
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {revision},
	}
	if revision >= "2026" {
		h.Set("Mcp-Method", method)
		if name != "" {
			h.Set("Mcp-Name", name)
		}
	}
	return h
}

// message is a request's text. params is a JSON object or empty.
func message(revision, method, params string) string {
	if revision >= "2026" {
		meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,`+
			`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},`+
			`"io.modelcontextprotocol/clientCapabilities":{}}`, revision)
		if inner := strings.TrimPrefix(params, "{"); params != "" && inner != "}" {
			params = "{" + meta + "," + inner
		} else {
			params = "{" + meta + "}"
		}
	}
	if params == "" {
		params = "{}"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
}

// send sends one message and takes the whole HTTP answer.
func (a agent) send(t *testing.T, method, name, params string) *apitest.Response {
	t.Helper()
	return a.srv.Post(t, endpoint, a.key, form(a.revision, method, name), strings.NewReader(message(a.revision, method, params)))
}

// ask sends one message and takes its JSON-RPC answer.
func (a agent) ask(t *testing.T, method, name, params string) said {
	t.Helper()
	answer := a.send(t, method, name, params)
	if got := answer.Header.Get("Content-Type"); got != "application/json" {
		t.Fatalf("%s: content type %q, want application/json; body %s", method, got, answer.Body)
	}
	var s said
	answer.Decode(t, &s)
	if string(s.ID) != "7" {
		t.Fatalf("%s: the answer's id is %s, want 7; body %s", method, s.ID, answer.Body)
	}
	return s
}

// call calls a tool; arguments are a JSON object.
func (a agent) call(t *testing.T, tool, arguments string) result {
	t.Helper()
	s := a.ask(t, "tools/call", tool, fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if s.Error != nil {
		t.Fatalf("%s %s: error %d %s", tool, arguments, s.Error.Code, s.Error.Message)
	}
	var r result
	require.NoError(t, json.Unmarshal(s.Result, &r), tool, arguments, s.Result)
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("%s %s: content is %v, want one text", tool, arguments, r.Content)
	}
	return r
}
