package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// canary is planted in every text of the records and every part of requests. The
// program itself does not know the word.
const canary = "kanarienvogel"

const canaryClient = "11111111-1111-4111-8111-111111111111"

// TestLogs_HoldNothingOfClients drives a real server, and the commands
// beside it, down every path that can be reached from outside: answers, each
// refusal, broken databases, panics. No secret, no record's text and no
// part of a request may stand in a log, a metric or an error of the server's.
func TestLogs_HoldNothingOfClients(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	env := map[string]string{"DATABASE_URL": d.ServerURL, "DATABASE_OWNER_URL": d.OwnerURL}
	told := &bytes.Buffer{} // what commands say to people
	operate := func(stdin string, args ...string) result {
		t.Helper()
		got := command(t, env, stdin, args...)
		told.WriteString(got.stderr)
		return got
	}
	if got := operate(canaryRecords, "import", "-"); got.code != exitDone {
		t.Fatalf("import: %+v", got)
	}
	for what, lines := range refusedRecords {
		if got := operate(lines, "import", "-"); got.code != exitFailed || !strings.Contains(got.stderr, "line ") {
			t.Errorf("importing %s: %+v, want it refused", what, got)
		}
	}
	keys := map[string]string{}
	for name, scopes := range map[string]string{
		"all":     "read:campaigns,read:interviews_metadata,read:synthesis,read:transcripts,read:customer_identity,read:raw_extraction,read:custom_extraction",
		"none":    "export:data",
		"revoked": "read:campaigns", "drained": "read:campaigns",
	} {
		var issued struct{ ID, Key string }
		got := operate("", "keys", "issue", "--json", "--client", "acme", "--name", name, "--scopes", scopes)
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &issued), got)
		keys[name] = issued.Key
		if name == "revoked" {
			operate("", "keys", "revoke", issued.ID)
		}
	}

	s := &canaryServer{statuses: map[int]int{}, process: startServer(t, d.ServerURL, "DATABASE_OWNER_URL="+d.OwnerURL,
		"CLIENTINTEL_CURSOR_SECRET="+canary+" is long enough to seal with", "CLIENTINTEL_RESPONSE_VALIDATION=enforce", "CLIENTINTEL_STATEMENT_TIMEOUT=2s")}
	s.askEverything(t, keys)
	s.breakEverything(t, d, keys)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	<-s.drained

	owner, err := url.Parse(d.OwnerURL)
	require.NoError(t, err)
	password, _ := owner.User.Password()
	for what, text := range map[string]string{
		"a command": told.String(), "the server's log": s.output.String(), "the metrics": s.metrics, "a 5xx answer": s.failures.String(),
	} {
		if text == "" {
			t.Errorf("%s said nothing", what)
		}
		for line := range strings.Lines(text) {
			check.Lacks(t, strings.ToLower(line), canary, what, line)
			if password != "" && strings.Contains(line, password) {
				t.Errorf("%s says the database's password: %s", what, line)
			}
			for name, key := range keys {
				if secret := key[len("cik_123456789012_"):]; strings.Contains(line, secret) {
					t.Errorf("%s says the secret of the key %s: %s", what, name, line)
				}
			}
		}
	}
	check.Equal(t, strings.Count(s.output.String(), `"a handler panicked"`), 2, "panics", s.output.String())
	for _, status := range []int{200, 400, 401, 403, 404, 405, 429, 500, 503} {
		if s.statuses[status] == 0 {
			t.Errorf("no answer was a %d: %v", status, s.statuses)
		}
	}
}

// canaryServer is a server all of whose output is kept.
type canaryServer struct {
	*process
	metrics  string
	failures bytes.Buffer
	statuses map[int]int
}

// send sends a request with the canary in every header that a caller may set. A
// request's id is the caller's to choose and is logged, so it has none.
func (s *canaryServer) send(t *testing.T, method, path, authorization, body string, header map[string]string) (int, string) {
	t.Helper()
	sent := http.Header{"Host": {canary + ".example"}}
	for _, name := range []string{"User-Agent", "Referer", "Cookie", "X-Forwarded-For", "If-None-Match", "Traceparent", "X-" + canary} {
		sent.Set(name, canary)
	}
	for name, value := range header {
		sent.Set(name, value)
	}
	if authorization != "" {
		sent.Set("Authorization", authorization)
	}
	answer := apitest.Fetch(t, method, s.address+"/api/client/v1"+path, sent, strings.NewReader(body))
	s.statuses[answer.Status]++
	if answer.Status >= 500 {
		fmt.Fprintf(&s.failures, "%s %v\n", answer.Body, answer.Header)
	}
	return answer.Status, string(answer.Body)
}

func (s *canaryServer) get(t *testing.T, path, key string) int {
	t.Helper()
	status, _ := s.send(t, http.MethodGet, path, "Bearer "+key, "", nil)
	return status
}

// call calls a tool, or whatever the message says.
func (s *canaryServer) call(t *testing.T, key, message string) string {
	t.Helper()
	_, text := s.send(t, http.MethodPost, "/mcp", "Bearer "+key, message, map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25",
	})
	return text
}
