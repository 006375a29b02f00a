package mcp_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// marker is what hostile messages carry, and logs must not.
const marker = "zq7marker"

// What is no message of the protocol is a JSON-RPC error in every revision, and nothing
// of it is logged but its code.
func TestMalformed_Messages(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for name, c := range map[string]struct {
		body   string
		code   int
		status int
	}{
		"nothing":                  {"", -32700, 400},
		"text":                     {marker, -32700, 400},
		"half a message":           {`{"jsonrpc":"2.0","id":1,"method":"` + marker, -32700, 400},
		"two messages":             {listTools + listTools, -32700, 400},
		"invalid UTF-8":            {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"` + "\xff" + `"}}`, -32700, 400},
		"nested beyond reason":     {strings.Repeat(`[`, 500_000), -32700, 400},
		"a string":                 {`"` + marker + `"`, -32600, 400},
		"null":                     {"null", -32600, 400},
		"an empty object":          {"{}", -32600, 400},
		"a batch":                  {"[" + listTools + "]", -32600, 400},
		"a large batch":            {"[" + strings.Repeat(listTools+",", 1000) + listTools + "]", -32600, 400},
		"another protocol":         {`{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, -32600, 400},
		"a method that is no text": {`{"jsonrpc":"2.0","id":1,"method":5}`, -32600, 400},
		"an unknown method":        {`{"jsonrpc":"2.0","id":1,"method":"` + marker + `"}`, -32601, 200},
		"params that are missing":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, -32600, 400},
	} {
		for _, revision := range revisions[:2] {
			header := with("Mcp-Protocol-Version", revision)
			before := len(srv.Logs.String())
			refused := rpcErrorOf(t, srv.Post(t, endpoint, key, header, strings.NewReader(c.body)).WantStatus(t, c.status))
			if refused.Error.Code != c.code || refused.Error.Message == "" {
				t.Errorf("%s: got %d %s, want %d", name, refused.Error.Code, refused.Error.Message, c.code)
			}
			check.Contains(t, srv.Logs.String()[before:], fmt.Sprintf(`"error":"jsonrpc_%d"`, c.code), name)
		}
	}
	newest := form("2026-07-28", marker, "")
	refused := rpcErrorOf(t, srv.Post(t, endpoint, key, newest, strings.NewReader(message("2026-07-28", marker, ""))).WantStatus(t, 404))
	if refused.Error.Code != -32601 || string(refused.ID) != "7" {
		t.Errorf("an unknown method of the newest revision is refused with %+v", refused)
	}
	check.Lacks(t, srv.Logs.String(), marker, "a message's content is in the log")
}

// An id comes back byte for byte, with results and with errors, or the message is refused.
func TestMalformed_IDs(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for _, revision := range revisions {
		for _, method := range []string{"tools/list", "no/such"} {
			for id, taken := range map[string]bool{
				`0`: true, `-7`: true, `9223372036854775807`: true, `-9223372036854775808`: true, `9007199254740993`: true,
				`""`: true, `"a-\u00e9 <1>, \"result\""`: true, `"\udead"`: true,
				`9223372036854775808`: false, `1.5`: false, `1.0`: false, `1e3`: false, `null`: false, `true`: false, `[1]`: false, `{"a":1}`: false,
			} {
				body := strings.Replace(message(revision, method, ""), `"id":7`, `"id":`+id, 1)
				answer := srv.Post(t, endpoint, key, form(revision, method, ""), strings.NewReader(body))
				want := `{"jsonrpc":"2.0","id":` + id + `,`
				if !taken {
					want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`
				}
				if !strings.HasPrefix(string(answer.Body), want) {
					t.Errorf("%s %s: got %.200s, want %s", revision, method, answer.Body, want)
				}
			}
		}
	}
}

// A notification has no response, whether it is known or not: JSON-RPC 2.0, 4.1. Neither
// has a response of the caller's.
func TestMalformed_NotificationsAreAccepted(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for _, revision := range revisions {
		for _, members := range []string{
			`"method":"notifications/initialized"`, `"method":"notifications/vendor/anything","params":{}`, `"method":"notifications/tasks/status"`,
			`"method":"tools/call","params":{"name":"list_interviews"}`, `"id":4,"result":{}`, `"id":4,"error":{"code":-32601,"message":"no such method"}`,
		} {
			answer := srv.Post(t, endpoint, key, form(revision, "x", ""), strings.NewReader(`{"jsonrpc":"2.0",`+members+`}`)).WantStatus(t, 202)
			if len(answer.Body) != 0 || answer.Header.Get("X-RateLimit-Remaining") == "" {
				t.Errorf("%s %s: answered with %s", revision, members, answer.Body)
			}
		}
	}
	check.Lacks(t, srv.Logs.String(), `"operation":"list_interviews"`, "a call without an id was run")
}

// Bodies beyond the bound are refused, whether their length is told or not.
func TestMalformed_LargeBodies(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	fits := listTools + strings.Repeat(" ", 1<<20-len(listTools))
	srv.Post(t, endpoint, key, with(), strings.NewReader(fits)).WantStatus(t, 200)
	srv.Post(t, endpoint, key, with(), strings.NewReader(fits+" ")).WantError(t, 413, "payload_too_large", "payload too large")
	srv.Post(t, endpoint, key, with(), io.MultiReader(strings.NewReader(fits+" "))).WantError(t, 413, "payload_too_large", "payload too large")
}

// begin sends a request's head and the first bytes of its body.
func begin(t *testing.T, srv *apitest.Server, key, first string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", endpoint, key, len(listTools), first)
	return conn.(*net.TCPConn)
}
