package mcp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// marker is what hostile messages carry, and logs must not.
const marker = "zq7marker"

// Nothing that is no message of the protocol gets an answer other than a clean
// refusal, and nothing of it gets into the log.
func TestMalformed_Messages(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	deep := func(n int) string {
		return strings.Repeat(`{"`+marker+`":`, n) + "1" + strings.Repeat("}", n)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, listTools)
	z.Close()
	names := make([]string, 10_001)
	for i := range names {
		names[i] = fmt.Sprintf(`"%s%d":1`, marker, i)
	}
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"nothing":                    {"", 400},
		"white space":                {" \n ", 400},
		"text":                       {marker, 400},
		"half a message":             {`{"jsonrpc":"2.0","id":1,"method":"` + marker, 400},
		"a string":                   {`"` + marker + `"`, 400},
		"null":                       {"null", 400},
		"an empty object":            {"{}", 400},
		"an empty batch":             {"[]", 400},
		"a batch":                    {"[" + listTools + "]", 400},
		"a large batch":              {"[" + strings.Repeat(listTools+",", 1000) + listTools + "]", 400},
		"two messages":               {listTools + listTools, 400},
		"something behind it":        {listTools + marker, 400},
		"a method twice":             {`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"` + marker + `"}`, 400},
		"a name twice":               {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_campaigns","name":"list_interviews"}}`, 400},
		"arguments twice":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_campaigns","arguments":{},"arguments":{}}}`, 400},
		"a name twice, spelled anew": {`{"jsonrpc":"2.0","id":1,"method":"tools/list","\u006dethod":"ping"}`, 400},
		"invalid UTF-8":              {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"` + "\xff" + `"}}`, 400},
		"a byte order mark":          {"\ufeff" + listTools, 400},
		"a raw NUL":                  {`{"jsonrpc":"2.0","id":1,"method":"` + "\x00" + `"}`, 400},
		"nested too deep":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_campaigns","arguments":{"status":` + deep(70) + `}}}`, 400},
		"nested beyond reason":       {strings.Repeat(`[`, 500_000), 400},
		"nested objects":             {strings.Repeat(`{"a":`, 150_000), 400},
		"too many names":             {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.Join(names, ",") + `}}`, 400},
		"another protocol":           {`{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, 400},
		"an id that is an object":    {`{"jsonrpc":"2.0","id":{"` + marker + `":1},"method":"tools/list"}`, 400},
		"a call without an id":       {`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"list_campaigns"}}`, 400},
		"a number without quotes":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_campaigns","arguments":{"limit":007}}}`, 400},
		"a gzipped message":          {zipped.String(), 400},
		"a form":                     {"q=" + marker, 400},
		"an unknown notification":    {`{"jsonrpc":"2.0","method":"notifications/` + marker + `"}`, 400},
		"an unknown method":          {`{"jsonrpc":"2.0","id":1,"method":"` + marker + `"}`, 200},
	} {
		answer := srv.Post(t, endpoint, key, with(), strings.NewReader(c.body)).WantStatus(t, c.status)
		refused := rpcErrorOf(t, answer)
		if c.status == 200 {
			if refused.Error.Code != -32601 || string(refused.ID) != "1" {
				t.Errorf("%s: got %s, want -32601", name, answer.Body)
			}
			continue
		}
		if e := refused.Error.Data; (refused.Error.Code != -32600 && refused.Error.Code != -32700) || e.Code != "invalid_parameter" ||
			e.Error != "Invalid message" || e.Details == "" || len(e.Details) > 400 || refused.Error.Message != e.Error+": "+e.Details {
			t.Errorf("%s: got %s", name, answer.Body)
		}
		if answer.Header.Get("X-RateLimit-Remaining") == "" {
			t.Errorf("%s: the refusal has no rate-limit headers", name)
		}
	}
	if strings.Contains(srv.Logs.String(), marker) {
		t.Error("a message's content is in the log")
	}
}

// What is no JSON is told from what is no message.
func TestMalformed_NoJSON(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for body, code := range map[string]int{
		"": -32700, "{": -32700, marker: -32700, "\ufeff" + listTools: -32700,
		`{"jsonrpc":"2.0","id":1,"method":"` + "\xff" + `"}`: -32700,
		"\xff": -32700, "[]": -32600, "5": -32600, "{}": -32600, `{"a":1,"a":1}`: -32600,
	} {
		refused := rpcErrorOf(t, srv.Post(t, endpoint, key, with(), strings.NewReader(body)).WantStatus(t, 400))
		if refused.Error.Code != code || string(refused.ID) != "null" {
			t.Errorf("%q: got %d with id %s, want %d", body, refused.Error.Code, refused.ID, code)
		}
	}
}

// A message with an id has an answer, unless it is one itself.
func TestMalformed_MessagesWithoutAMethod(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for _, revision := range revisions {
		for members, status := range map[string]int{
			``:                         400,
			`,"params":{}`:             400,
			`,"Method":"tools/list"`:   400,
			`,"result":{},"error":{}`:  400,
			`,"method":null`:           400,
			`,"method":5,"result":{}`:  400,
			`,"method":["tools/list"]`: 400,
			`,"result":{}`:             202,
			`,"error":{"code":-32601,"message":"no such method"}`: 202,
		} {
			body := `{"jsonrpc":"2.0","id":"a"` + members + `}`
			answer := srv.Post(t, endpoint, key, form(revision, "tools/list", ""), strings.NewReader(body)).WantStatus(t, status)
			if status == 202 {
				continue
			}
			if e := rpcErrorOf(t, answer); string(e.ID) != `"a"` || e.Error.Code != -32600 || !strings.Contains(e.Error.Message, "method") {
				t.Errorf("%s %s: got %s, want -32600 with the id", revision, body, answer.Body)
			}
		}
	}
}

// Arguments that no query could carry are refused as the parameter that they
// are for would be; nothing of them is logged, whether refused or not.
func TestMalformed_Arguments(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "acme", nil)
	const wanted = "a whole number from 1 to 200, in plain digits"
	for arguments, want := range map[string][2]string{
		`{"limit":null}`:           {"invalid_parameter", "limit must be " + wanted + ", not null; leave it out instead"},
		`{"limit":true}`:           {"invalid_parameter", "limit must be " + wanted + ", not a boolean"},
		`{"limit":[5]}`:            {"invalid_parameter", "limit must be " + wanted + ", not a list"},
		`{"limit":{"gt":5}}`:       {"invalid_parameter", "limit must be " + wanted + ", not an object"},
		`{"limit":5e0}`:            {"invalid_parameter", "limit must be " + wanted + ", not a number with an exponent"},
		`{"limit":5.5}`:            {"invalid_parameter", "limit must be " + wanted + `, not "5.5"`},
		`{"limit":"5"}`:            {"invalid_parameter", "limit must be " + wanted + ", not a text"},
		`{"include_basis":1}`:      {"invalid_parameter", "include_basis must be true or false, not a number"},
		`{"include_basis":"true"}`: {"invalid_parameter", "include_basis must be true or false, not a text"},
		`{"include_basis":null}`:   {"invalid_parameter", "include_basis must be true or false, not null; leave it out instead"},
		`{"include_basis":true,"include_basis":false}`: {"invalid_parameter", "include_basis is given more than once; give it once"},
		`{"include_rows":true}`:                        {"unknown_parameter", `"include_rows" is not an argument of this tool; it takes `},
		`{"limit":1e300}`:                              {"invalid_parameter", "limit must be " + wanted + ", not a number with an exponent"},
		`{"limit":-0}`:                                 {"invalid_parameter", "limit must be " + wanted + `, not "-0"`},
		`{"status":null}`:                              {"invalid_parameter", "status must be a text, not null; leave it out instead"},
		`{"status":["a"]}`:                             {"invalid_parameter", "status must be a text, not a list"},
		`{"status":false}`:                             {"invalid_parameter", "status must be a text, not a boolean"},
		`{"status":"\u0000"}`:                          {"invalid_parameter", "status contains a NUL character, which no value does"},
		`{"status":"\udead"}`:                          {"invalid_parameter", "status is not valid UTF-8"},
		`{"status":""}`:                                {"invalid_parameter", "status is empty; give a value or leave it out"},
		`{"status":"` + strings.Repeat(marker, 1000) + `"}`: {"invalid_parameter", "status must be a text, not more than 8192 bytes"},
		`{"limit":99999999999999999999999}`:                 {"invalid_parameter", "limit must be " + wanted + `, not "99999999999999999999999"`},
		`{"status":"a","status":null}`:                      {"invalid_parameter", "status must be a text, not null; leave it out instead"},
		`{"date_from":null}`:                                {"invalid_parameter", "date_from must be a text, not null; leave it out instead"},
		`{"starting_after":null}`:                           {"invalid_cursor", "starting_after was not issued for this list: pass meta.next_cursor unchanged, on the same route with the same filters, or start again without it"},
		`{"starting_after":{}}`:                             {"invalid_cursor", "starting_after was not issued for this list: pass meta.next_cursor unchanged, on the same route with the same filters, or start again without it"},
		`{"updated_since":null}`:                            {"updated_since_unsupported", "updated_since is not supported on interviews, which carry no update time: use date_from and date_to, which filter created_at"},
		`{"` + marker + `":null}`:                           {"unknown_parameter", `"` + marker + `" is not an argument of this tool; it takes campaign_id, `},
		`{"date_from":"` + marker + `"}`:                    {"invalid_parameter", `date_from "` + marker + `" `},
		`{"limit":"` + marker + `"}`:                        {"invalid_parameter", "limit must be " + wanted + ", not a text"},
	} {
		for _, revision := range revisions {
			r := agent{srv, srv.KeyFor(t, "acme"), revision}.call(t, "list_interviews", arguments)
			var e struct{ Error, Details, Code string }
			if err := json.Unmarshal([]byte(r.Content[0].Text), &e); err != nil || !r.IsError || r.StructuredContent != nil {
				t.Fatalf("%.80s: isError %v, structured %s, text %s (%v)", arguments, r.IsError, r.StructuredContent, r.Content[0].Text, err)
			}
			if e.Code != want[0] || !strings.HasPrefix(e.Details, want[1]) || e.Error == "" || strings.Contains(e.Error, "query") {
				t.Errorf("%.80s:\n got %s: %s\nwant %s: %s", arguments, e.Code, e.Details, want[0], want[1])
			}
		}
	}
	// A number beyond every float is refused too.
	for _, number := range []string{"1e999", strings.Repeat("9", 100_000)} {
		for _, revision := range revisions {
			if r := (agent{srv, srv.KeyFor(t, "acme"), revision}).call(t, "list_interviews", `{"limit":`+number+`}`); !r.IsError {
				t.Errorf("limit %.20s was taken", number)
			}
		}
	}
	agent{srv, srv.KeyFor(t, "acme"), "2025-11-25"}.call(t, "list_interviews", `{"status":"`+marker+`"}`)
	agent{srv, srv.KeyFor(t, "acme"), "2025-11-25"}.send(t, "tools/call", "", `{"name":"`+marker+`"}`).WantStatus(t, 200)
	if strings.Contains(srv.Logs.String(), marker) {
		t.Error("an argument is in the log")
	}
	for _, word := range []string{`"operation":"list_interviews"`, `"tool_status":400`, `"error":"invalid_cursor"`} {
		if !strings.Contains(srv.Logs.String(), word) {
			t.Errorf("the log does not say %s", word)
		}
	}
}

// No list gives a cursor, so that none is decoded.
func TestMalformed_CursorsOfLists(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, revision := range revisions {
		a := agent{srv, srv.KeyFor(t, "acme"), revision}
		for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			refused := a.ask(t, method, "", `{"cursor":"K_-BAwEBCXBhZ2VUb2tlbgH_ggABAQEHTGFzdFVJRAEMAAAA"}`)
			if refused.Error == nil || refused.Error.Code != -32602 || refused.Error.Message != "there is one page only; leave cursor out" {
				t.Errorf("%s %s: got %+v %s", revision, method, refused.Error, refused.Result)
			}
			if taken := a.ask(t, method, "", `{"cursor":""}`); taken.Error != nil {
				t.Errorf("%s %s without one: %+v", revision, method, taken.Error)
			}
		}
	}
}

// endless is a body that never comes to its end.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	e.read.Add(int64(len(b)))
	return len(b), nil
}

// Bodies beyond the bound are refused without being kept, whether their length
// is stated, left out or wrong. Not parallel: it measures what the whole
// process allocates.
func TestMalformed_LargeBodies(t *testing.T) {
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	fits := listTools + strings.Repeat(" ", 1<<20-len(listTools))
	srv.Post(t, endpoint, key, with(), strings.NewReader(fits)).WantStatus(t, 200)
	srv.Post(t, endpoint, key, with(), strings.NewReader(fits+" ")).WantError(t, 413, "payload_too_large", "payload too large")
	srv.Post(t, endpoint, key, with(), io.MultiReader(strings.NewReader(fits+" "))).WantError(t, 413, "payload_too_large", "payload too large")

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const size = 50 << 20
	told := raw(t, srv, key, fmt.Sprintf("Content-Length: %d\r\n", size), io.LimitReader(&endless{}, size))
	if told != 413 {
		t.Errorf("50 MB with a told length: status %d, want 413", told)
	}
	body := &endless{}
	if untold := raw(t, srv, key, "Transfer-Encoding: chunked\r\n", chunked(io.LimitReader(body, size))); untold != 413 {
		t.Errorf("50 MB with an untold length: status %d, want 413", untold)
	}
	if taken := body.read.Load(); taken >= size {
		t.Errorf("all of %d bytes were taken in", taken)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 40<<20 {
		t.Errorf("refusing 100 MB allocated %d bytes", grown)
	}
	// More than was told belongs to no request; less is half a message.
	if more := raw(t, srv, key, "Content-Length: 10\r\n", strings.NewReader(listTools)); more != 400 {
		t.Errorf("a body longer than told: status %d, want 400", more)
	}
	if less := raw(t, srv, key, fmt.Sprintf("Content-Length: %d\r\n", len(listTools)+10), strings.NewReader(listTools)); less != 400 {
		t.Errorf("a body shorter than told: status %d, want 400", less)
	}
	for _, twice := range []string{"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: -1\r\n", "Content-Length: five\r\n"} {
		if status := raw(t, srv, key, twice, strings.NewReader(listTools)); status != 400 {
			t.Errorf("%q: status %d, want 400", twice, status)
		}
	}
}

// raw sends a request by hand, half-closes and takes the answer's status.
func raw(t *testing.T, srv *apitest.Server, key, header string, body io.Reader) int {
	t.Helper()
	conn := sendHead(t, srv, key, header)
	defer conn.Close()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.Copy(conn, body) // ends when the server has had enough
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	status := statusOf(t, conn)
	conn.Close()
	<-sent
	return status
}

// sendHead sends all of a request but its body.
func sendHead(t *testing.T, srv *apitest.Server, key, header string) net.Conn {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(context.Background(), "tcp", strings.TrimPrefix(srv.URL, "http://"))
	if err != nil {
		t.Fatalf("dialling: %v", err)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\n%s\r\n",
		endpoint, strings.TrimPrefix(srv.URL, "http://"), key, header)
	return conn
}

func statusOf(t *testing.T, conn net.Conn) int {
	t.Helper()
	var line [12]byte
	if _, err := io.ReadFull(conn, line[:]); err != nil {
		t.Fatalf("reading the status: %v", err)
	}
	var status int
	if _, err := fmt.Sscanf(string(line[:]), "HTTP/1.1 %d", &status); err != nil {
		t.Fatalf("the status line is %q", line)
	}
	return status
}

// chunked spells a body in chunks.
func chunked(body io.Reader) io.Reader {
	pipe, w := io.Pipe()
	go func() {
		piece := make([]byte, 32<<10)
		for {
			n, err := body.Read(piece)
			if n > 0 {
				if _, werr := fmt.Fprintf(w, "%x\r\n%s\r\n", n, piece[:n]); werr != nil {
					return
				}
			}
			if err != nil {
				fmt.Fprint(w, "0\r\n\r\n")
				w.Close()
				return
			}
		}
	}()
	return pipe
}

// What is compressed is no way around the bound: it is not taken at all.
func TestMalformed_GzippedBody(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.Copy(z, io.LimitReader(&endless{}, 50<<20)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	srv.Post(t, endpoint, srv.KeyFor(t, "acme"), with("Content-Encoding", "gzip"), &bomb).
		WantError(t, http.StatusUnsupportedMediaType, "unsupported_media_type", "unsupported media type")
}
