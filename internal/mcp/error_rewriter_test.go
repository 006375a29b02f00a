package mcp_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// What the protocol's library refuses is told in plain words: which field is wrong, no
// type of Go, and nothing of the params.
func TestErrors_OfTheSDKAreInPlainWords(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	const generic = "a field of params has a wrong type or value"
	for _, c := range []struct{ method, params, want string }{
		{"initialize", `{"protocolVersion":5,"x":"` + marker + `"}`, "params.protocolVersion must be a text"},
		{"initialize", `{"protocolVersion":"` + marker + `","clientInfo":{"name":5}}`, "params.clientInfo.name must be a text"},
		{"initialize", `{"clientInfo":"` + marker + `"}`, "params.clientInfo must be an object"},
		{"initialize", `{"clientInfo":{"icons":{"` + marker + `":1}}}`, "params.clientInfo.icons must be a list"},
		{"initialize", `{"capabilities":{"roots":{"listChanged":"` + marker + `"}}}`, "params.capabilities.roots.listChanged must be true or false"},
		{"initialize", `["` + marker + `"]`, "params must be an object"},
		{"initialize", `null`, `missing required "params"`},
		{"tools/call", `[]`, "params must be an object"},
		{"tools/call", `{"name":5}`, "params.name must be a text"},
		{"tools/call", `{"name":"list_interviews","_meta":"` + marker + `"}`, "params._meta must be an object"},
		{"tools/list", `{"cursor":5}`, "params.cursor must be a text"},
		{"prompts/get", `{"name":"` + marker + `","arguments":{"` + marker + `":5}}`, generic},
		{"completion/complete", `{"ref":{"type":"` + marker + `"}}`, generic},
		{"subscriptions/listen", `{"notifications":"` + marker + `"}`, "params.notifications must be an object"},
	} {
		answer := srv.Post(t, endpoint, key, form("2025-11-25", "", ""), strings.NewReader(message("2025-11-25", c.method, c.params)))
		body := strings.TrimSpace(strings.TrimPrefix(string(answer.Body), "event: message\ndata: "))
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":%q}}`, c.want); answer.Status != 200 || body != want {
			t.Errorf("%s %s:\n got %d %s\nwant 200 %s", c.method, c.params, answer.Status, body, want)
		}
	}
	for members, want := range map[string]string{
		`"jsonrpc":5,"method":"` + marker + `"`:             "message.jsonrpc must be a text",
		`"jsonrpc":"2.0","error":"` + marker + `"`:          "message.error must be an object",
		`"jsonrpc":"2.0","error":{"code":"` + marker + `"}`: "message.error.code must be a whole number",
		`"jsonrpc":"1.0","method":"tools/list","params":{}`: `invalid message version tag "1.0"; expected "2.0"`,
	} {
		refused := rpcErrorOf(t, srv.Post(t, endpoint, key, with(), strings.NewReader(`{"id":7,`+members+`}`)).WantStatus(t, http.StatusBadRequest))
		if refused.Error.Code != -32600 || refused.Error.Data.Details != want || string(refused.ID) != "7" {
			t.Errorf("%s: got %+v, want %s", members, refused, want)
		}
	}
	newest := agent{srv, key, "2026-07-28"}.send(t, "tools/list", "", `{"cursor":5}`).WantStatus(t, http.StatusBadRequest)
	if refused := rpcErrorOf(t, newest); refused.Error.Code != -32602 || refused.Error.Message != "params.cursor must be a text" {
		t.Errorf("the newest revision: got %s", newest.Body)
	}
}

// What the library answers is known to be whole: its compressor is given back before it
// is sent.
func TestErrors_ResultsOfTheSDKHaveTheirLength(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	answer := srv.Post(t, endpoint, srv.KeyFor(t, "acme"), with("Accept-Encoding", "identity"), strings.NewReader(message("2025-11-25", "tools/list", `{}`)))
	if got := answer.Header.Get("Content-Length"); got != strconv.Itoa(len(answer.Body)) || len(answer.Body) < 8<<10 {
		t.Errorf("%d bytes have the length %q", len(answer.Body), got)
	}
}

// An error is short, however long what it speaks of, and ends with a whole character.
func TestErrors_OfTheSDKAreShort(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	a := agent{srv, srv.KeyFor(t, "acme"), "2025-11-25"}
	long := strings.Repeat("é", 500_000)
	for method, params := range map[string]string{
		"tools/call": `{"name":"x` + long + `"}`, "prompts/get": `{"name":"` + long + `"}`, "resources/read": `{"uri":"` + long + `"}`,
	} {
		answer := a.send(t, method, "", params).WantStatus(t, http.StatusOK)
		refused := rpcErrorOf(t, answer)
		if got := refused.Error.Message; len(got) > 300 || len(answer.Body) > 500 || refused.Error.Code != -32602 || !utf8.ValidString(got) || strings.Contains(got, "\ufffd") {
			t.Errorf("%s: the answer has %d bytes: %.400s", method, len(answer.Body), answer.Body)
		}
	}
}

// A result is passed on as it is, whatever it and its id say of errors.
func TestErrors_ResultsAreNone(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	plain := srv.Post(t, endpoint, key, with(), strings.NewReader(listTools)).WantStatus(t, http.StatusOK)
	named := srv.Post(t, endpoint, key, with(), strings.NewReader(strings.Replace(listTools, `"id":1`, `"id":"error"`, 1))).WantStatus(t, http.StatusOK)
	if _, want, _ := strings.Cut(string(plain.Body), `"result"`); !strings.HasSuffix(string(named.Body), `"id":"error","result"`+want) || want == "" {
		t.Errorf("got %.200s, want the tools", named.Body)
	}
}

// The log has the code of what the library refused, whatever the status, and nothing of
// the message. Such a line is never left out.
func TestErrors_OfTheSDKAreLogged(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t, func(s *config.Server) { s.LogOneIn = 1000 })
	key := srv.KeyFor(t, "acme")
	srv.Post(t, endpoint, key, with(), strings.NewReader(listTools)).WantStatus(t, http.StatusOK) // the one that is logged
	for _, c := range []struct {
		revision, method, params string
		status                   int
		code                     string
	}{
		{"2025-11-25", "initialize", `{"protocolVersion":["` + marker + `"]}`, 200, "jsonrpc_-32602"},
		{"2025-11-25", "tools/call", `{"name":"` + marker + `"}`, 200, "jsonrpc_-32602"},
		{"2025-11-25", marker, `{}`, 200, "jsonrpc_-32601"},
		{"2025-11-25", "tools/call", `null`, 200, "jsonrpc_-32600"},
		{"2026-07-28", "tools/call", `{"name":"` + marker + `"}`, 400, "jsonrpc_-32602"},
		{"2026-07-28", marker, ``, 404, "jsonrpc_-32601"},
	} {
		before := len(srv.Logs.String())
		header := form(c.revision, c.method, marker)
		srv.Post(t, endpoint, key, header, strings.NewReader(message(c.revision, c.method, c.params))).WantStatus(t, c.status)
		line := srv.Logs.String()[before:]
		for _, want := range []string{fmt.Sprintf(`"status":%d`, c.status), `"error":"` + c.code + `"`} {
			if !strings.Contains(line, want) || strings.Contains(line, marker) {
				t.Errorf("%s %s %s: the log says %q, want %s", c.revision, c.method, c.params, line, want)
			}
		}
	}
}

// The codes are those that docs/mcp.md lists.
func TestErrors_HaveTheirCodes(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	const newest, future = "2026-07-28", "2027-01-01"
	of := func(revision string) string { // params with the metadata of a revision
		return `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + revision + `","io.modelcontextprotocol/clientCapabilities":{}}}`
	}
	for _, c := range []struct {
		header, method, params string
		status, code           int
	}{
		{"2025-03-26", "tools/list", `{}`, 400, -32600},
		{"2025-11-25", "initialize", ``, 400, -32600},
		{"2025-11-25", "tools/call", `null`, 200, -32600},
		{"2025-11-25", "brands/list", `{}`, 200, -32601},
		{newest, "brands/list", of(newest), 404, -32601},
		{"2025-11-25", "tools/call", `{"name":"nothing"}`, 200, -32602},
		{newest, "tools/list", `{"cursor":5}`, 400, -32602},
		{newest, "tools/list", `{}`, 400, -32602},
		{future, "tools/list", `{}`, 400, -32602},
		{"", "tools/list", of(newest), 400, -32020},
		{"2025-11-25", "tools/list", of(newest), 400, -32020},
		{newest, "tools/list", of("2025-11-25"), 400, -32020},
		{newest, "tools/call", of(newest), 400, -32020}, // the header has a name
		{future, "tools/list", of(future), 400, -32022},
	} {
		body := `{"jsonrpc":"2.0","id":7,"method":"` + c.method + `","params":` + c.params + `}`
		if c.params == "" {
			body = `{"jsonrpc":"2.0","id":7,"method":"` + c.method + `"}`
		}
		header := form(c.header, c.method, "nothing")
		if c.header == "" {
			header.Del("Mcp-Protocol-Version")
		}
		answer := srv.Post(t, endpoint, key, header, strings.NewReader(body)).WantStatus(t, c.status)
		if refused := rpcErrorOf(t, answer); refused.Error.Code != c.code || string(refused.ID) != "7" {
			t.Errorf("%s %s: got %s, want %d", c.header, body, answer.Body, c.code)
		}
	}
}
