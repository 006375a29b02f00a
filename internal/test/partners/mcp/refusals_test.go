//go:build partners

package mcp_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

// What the official clients show their user of a refusal: its code, and how long
// to wait.
func TestClients_ShowRefusals(t *testing.T) {
	srv, seed := apitest.Start(t, func(c *config.Server) { c.StatementTimeout = 200 * time.Millisecond })
	bin := partnerserver.Python(t, "requirements.txt")
	node := packages.Node(t)
	address := srv.URL + endpoint
	for name, client := range map[string][]string{
		"Python":                   {filepath.Join(bin, "python"), "refused.py"},
		"TypeScript v1 2025-11-25": {node, "refused.mjs", "v1", "2025-11-25"},
		"TypeScript v2 2025-11-25": {node, "refused.mjs", "v2", "2025-11-25"},
		"TypeScript v2 2026-07-28": {node, "refused.mjs", "v2", "2026-07-28"},
	} {
		wants := func(told string, words ...string) {
			t.Helper()
			for _, word := range words {
				if !strings.Contains(told, word) {
					t.Errorf("%s tells %q, which lacks %s", name, told, word)
				}
			}
		}
		key := srv.Issue(t, apikey.Request{Client: "globex", Name: name})
		wants(told(t, append(client, address, key.Key), func() { fill(t, srv, seed, key) }), "rate_limited; retry after ")
		other := srv.Issue(t, apikey.Request{Client: "globex", Name: name}).Key
		seed.Exec(t, "BEGIN")
		wants(told(t, append(client, address, other), func() { seed.Exec(t, "LOCK TABLE request_log") }), "service_unavailable; retry after 5 seconds")
		seed.Exec(t, "ROLLBACK")
		// Of a 401 the Python client shows nothing, and the newest revision's negotiation the
		// status alone.
		switch name {
		case "Python":
		case "TypeScript v2 2026-07-28":
			wants(told(t, append(client, address, "cik_nothing"), nil), "401")
		default:
			wants(told(t, append(client, address, "cik_nothing"), nil), "invalid_api_key")
			wants(told(t, append(client, address, other, "https://evil.example"), nil), "forbidden_origin")
		}
	}
}

// fill uses a key's window up.
func fill(t *testing.T, srv *apitest.Server, seed *apitest.Seed, key apikey.Issued) {
	t.Helper()
	srv.Get(t, "/api/client/v1/campaigns", key.Key).WantStatus(t, 200)
	seed.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT client_id, $1, at, seq + n, 'mcp', 200 FROM request_log AS l, generate_series(1, 600) AS n
		WHERE l.key_id = $1 AND l.seq = (SELECT max(seq) FROM request_log WHERE key_id = $1)`, key.ID)
}

// told runs a client, lets happen what refuses its call after it has connected,
// and returns what its user is shown.
func told(t *testing.T, command []string, then func()) string {
	t.Helper()
	client := exec.CommandContext(t.Context(), command[0], command[1:]...)
	in, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	connected := make(chan struct{})
	client.Stdout, client.Stderr = &notifier{to: &out, word: "connected", seen: connected}, &errs
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	if then != nil {
		select {
		case <-connected:
		case <-time.After(time.Minute):
			t.Fatalf("%v does not connect: %s", command, errs.String())
		}
		then()
	}
	if _, err := in.Write([]byte("\n")); err != nil && then != nil {
		t.Fatal(err)
	}
	_ = client.Wait()
	return out.String()
}

// notifier closes seen when a word was written.
type notifier struct {
	to   *bytes.Buffer
	word string
	seen chan struct{}
}

func (n *notifier) Write(b []byte) (int, error) {
	if n.seen != nil && strings.Contains(string(b), n.word) {
		close(n.seen)
		n.seen = nil
	}
	return n.to.Write(b)
}
