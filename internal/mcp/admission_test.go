package mcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// with is the form of a good request, changed. An empty value takes a header away.
func with(changes ...string) http.Header {
	h := form("2025-11-25", "", "")
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == "" {
			h.Del(changes[i])
			// Else Go's client would say what it likes.
			h[http.CanonicalHeaderKey(changes[i])] = nil
			continue
		}
		h[http.CanonicalHeaderKey(changes[i])] = []string{changes[i+1]}
	}
	return h
}

// What is wrong first is told first: origin, key, method, content type, accept,
// size. Only from admission on is a request counted.
func TestAdmission_Order(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	key := srv.Issue(t, apikey.Request{Client: "acme", Name: "order"})
	huge := strings.Repeat(" ", 1<<20) + listTools
	foreign := []string{"Origin", "https://evil.example"}
	for _, c := range []struct {
		name    string
		key     string
		method  string
		header  http.Header
		body    string
		status  int
		code    string
		message string
		counted bool
	}{
		{"everything wrong", "", "DELETE", with(append(foreign, "Content-Type", "text/plain", "Accept", "image/png")...), huge, 403, "forbidden_origin", "origin not allowed", false},
		{"a foreign origin with a key", key.Key, "POST", with(foreign...), listTools, 403, "forbidden_origin", "origin not allowed", false},
		{"a foreign origin that asks beforehand", "", "OPTIONS", with(foreign...), "", 403, "forbidden_origin", "origin not allowed", false},
		{"no key", "", "DELETE", with("Content-Type", "text/plain"), huge, 401, "missing_api_key", "Missing Bearer API key", false},
		{"the wrong secret of a real key", key.Key[:20] + "00000" + key.Key[25:], "GET", with(), "", 401, "invalid_api_key", "Invalid API key", true},
		{"a method and all the rest", key.Key, "DELETE", with("Content-Type", "text/plain", "Accept", "image/png"), huge, 405, "method_not_allowed", "method not allowed", true},
		{"a content type and all the rest", key.Key, "POST", with("Content-Type", "text/plain", "Accept", "image/png"), huge, 415, "unsupported_media_type", "unsupported media type", true},
		{"an accept and a size", key.Key, "POST", with("Accept", "image/png"), huge, 406, "not_acceptable", "not acceptable", true},
		{"a size", key.Key, "POST", with(), huge, 413, "payload_too_large", "payload too large", true},
	} {
		before := countRows(t, seed, key.ID.String())
		answer := send(t, srv, c.method, c.key, c.header, c.body).WantError(t, c.status, c.code, c.message)
		check.Equal(t, countRows(t, seed, key.ID.String()) != before, c.counted, c.name, "counted")
		check.Equal(t, answer.Header.Get("X-RateLimit-Remaining") != "", c.status != 401 && c.status != 403, c.name)
		if c.status == 405 && answer.Header.Get("Allow") != "POST" {
			t.Errorf("%s: Allow is %q, want POST", c.name, answer.Header.Get("Allow"))
		}
		if answer.Header.Get("X-Request-Id") == "" || answer.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers are %v", c.name, answer.Header)
		}
		refusesCaller := c.status == 401 || c.status == 403
		if challenge := answer.Header.Get("WWW-Authenticate"); strings.Contains(challenge, `code="`+c.code+`"`) != refusesCaller ||
			(challenge != "") != refusesCaller || strings.Contains(challenge, "resource_metadata") {
			t.Errorf("%s: WWW-Authenticate is %q", c.name, challenge)
		}
	}
}

func countRows(t *testing.T, seed *apitest.Seed, keyID string) int {
	t.Helper()
	n := dbtest.Value[int](t, seed, "SELECT count(*) FROM request_log WHERE key_id = $1", keyID)
	return n
}

func send(t *testing.T, srv *apitest.Server, method, key string, header http.Header, body string) *apitest.Response {
	t.Helper()
	if method == http.MethodPost {
		return srv.Post(t, endpoint, key, header, strings.NewReader(body))
	}
	return srv.Send(t, method, endpoint, key, header)
}

func TestAdmission_Origins(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t, func(s *config.Server) { s.PublicURL = "https://Intelligence.example.com/brand" })
	key := srv.KeyFor(t, "acme")
	own := strings.TrimPrefix(srv.URL, "http://")
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"", "", 200},
		{"", srv.URL, 200},
		{"", "https://intelligence.example.com", 200},
		{"intelligence.example.com", "", 200},
		{"intelligence.example.com", "https://intelligence.example.com", 200},
		{"", "http://intelligence.example.com", 403},
		{"", "https://intelligence.example.com.evil.example", 403},
		{"", "https://evil.example", 403},
		{"", "null", 403},
		{"", "http://" + own + "0", 403},
		// A page whose own name was made to point at this machine.
		{"evil.example", "http://evil.example", 403},
		{own, "http://evil.example", 403},
	} {
		changes := []string{}
		if c.host != "" {
			changes = append(changes, "Host", c.host)
		}
		if c.origin != "" {
			changes = append(changes, "Origin", c.origin)
		}
		answer := srv.Post(t, endpoint, key, with(changes...), strings.NewReader(listTools))
		check.Equal(t, answer.Status, c.status, c.origin, c.host)
	}
}

// Accept and Content-Type come in many spellings.
func TestAdmission_Negotiation(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"Accept", "*/*", 200},
		{"Accept", "application/json;q=0.9, text/event-stream;q=0.1", 200},
		{"Accept", "application/json", 200},
		{"Accept", "text/event-stream", 406},
		{"Accept", "", 406},
		{"Content-Type", "application/json; charset=utf-8", 200},
		{"Content-Type", "Application/JSON", 200},
		{"Content-Type", "application/json-patch+json", 415},
		{"Content-Type", "", 415},
		{"Mcp-Protocol-Version", "2025-06-18", 200},
		{"Mcp-Protocol-Version", "yesterday", 400},
	} {
		answer := srv.Post(t, endpoint, key, with(c.name, c.value), strings.NewReader(listTools))
		check.Equal(t, answer.Status, c.status, c.name, c.value, string(answer.Body))
	}
}

// A key's window is one, whichever way its requests come, and a full one is an
// HTTP answer that every client understands.
func TestAdmission_CountsOnceAndRefusesAtTheLimit(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	key := srv.Issue(t, apikey.Request{Client: "acme", Name: "limited"})
	a := agent{srv, key.Key, "2025-11-25"}
	for i, ask := range []func() http.Header{
		func() http.Header { return a.send(t, "tools/list", "", "").Header },
		func() http.Header {
			return a.send(t, "tools/call", "", `{"name":"list_interviews","arguments":{}}`).Header
		},
		func() http.Header { return a.send(t, "tools/call", "", `{"name":"nothing"}`).Header },
		func() http.Header { return srv.Get(t, routes["list_interviews"], key.Key).Header },
		func() http.Header { return srv.Post(t, endpoint, key.Key, with(), strings.NewReader("{")).Header },
	} {
		header := ask()
		if got, want := header.Get("X-RateLimit-Remaining"), fmt.Sprint(600-i); got != want || header.Get("X-RateLimit-Limit") != "600" {
			t.Errorf("request %d: Remaining is %q, want %s", i+1, got, want)
		}
	}
	check.Equal(t, countRows(t, seed, key.ID.String()), 5, "counted rows")
	fill(t, seed, key, 5)
	for _, revision := range revisions {
		a.revision = revision
		answer := a.send(t, "tools/call", "list_interviews", `{"name":"list_interviews","arguments":{}}`).WantStatus(t, 429)
		seconds := answer.Header.Get("Retry-After")
		if seconds == "" || answer.Header.Get("X-RateLimit-Remaining") != "0" {
			t.Errorf("%s: a 429 has the headers %v", revision, answer.Header)
		}
		r := rpcErrorOf(t, answer)
		if string(r.ID) != "null" || r.Error.Code != -32000 || r.Error.Data.Code != "rate_limited" || r.Error.Data.Error != "rate_limited" ||
			r.Error.Message != "rate_limited; retry after "+seconds+" seconds" {
			t.Errorf("%s: a 429 is %s", revision, answer.Body)
		}
	}
	// Another client reads REST's envelope.
	srv.Post(t, endpoint, key.Key, with("Mcp-Protocol-Version", ""), strings.NewReader(listTools)).WantError(t, 429, "rate_limited", "rate_limited")
}

// Only a known caller's request could be read or run before it is admitted. It is not: it
// is counted while its body has not come, and at the limit nothing waits for the table
// that its rows are in.
func TestAdmission_ComesBeforeReadingAndRunning(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(s *config.Server) { s.StatementTimeout = 10 * time.Minute })
	key := srv.Issue(t, apikey.Request{Client: "acme", Name: "known"})
	a := agent{srv, key.Key, "2025-11-25"}
	call := func() *apitest.Response {
		return a.send(t, "tools/call", "", `{"name":"list_interviews","arguments":{}}`)
	}
	call().WantStatus(t, 200)
	begin(t, srv, key.Key, listTools[:10])
	dbtest.Await(t, "the request to be counted", func() bool { return countRows(t, seed, key.ID.String()) == 2 })
	fill(t, seed, key, 2)
	defer srv.Database.Hold(t, "interviews")()
	call().WantStatus(t, 429)
	check.Equal(t, srv.Database.WaitingReads(t), 0, "waiting queries of a refused call")
}

// fill uses a key's window up, of which so many requests are used.
func fill(t *testing.T, seed *apitest.Seed, key apikey.Issued, used int) {
	t.Helper()
	seed.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT client_id, $1, at, n, 'mcp', 200 FROM request_log AS l, generate_series($2 + 1, 600) AS n WHERE l.key_id = $1 AND l.seq = $2`, key.ID, used)
}
