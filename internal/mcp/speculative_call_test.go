package mcp_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// Rows of cheap calls are read for the caller that the key was before. Whatever became
// of it since, the result is that of the key as it is now, and each call counts once.
func TestCall_TheCachedCallerIsNeverTheAnswer(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	const email = "zoe@customer.example"
	id := seed.Interview(t, "acme", apitest.Fields{"participant_email": email})
	issued := srv.Issue(t, apikey.Request{Client: "acme", Name: "changing", Scopes: []auth.Scope{auth.ReadInterviewsMetadata}})
	a := agent{srv, issued.Key, "2026-07-28"}
	left := 600
	ask := func() *apitest.Response {
		t.Helper()
		answer := a.send(t, "tools/call", "list_interviews", `{"name":"list_interviews","arguments":{}}`)
		left--
		if got := answer.Header.Get("X-RateLimit-Remaining"); answer.Status < 400 && got != strconv.Itoa(left+1) {
			t.Errorf("%s requests remain, want %d", got, left+1)
		}
		return answer
	}
	change := func(set string) { seed.Exec(t, "UPDATE api_keys SET "+set+" WHERE id = $1", issued.ID) }
	shows := func(want bool) {
		t.Helper()
		body := string(ask().WantStatus(t, http.StatusOK).Body)
		if !strings.Contains(body, id) || strings.Contains(body, email) != want {
			t.Errorf("want the row, and its address shown: %v; got %s", want, body)
		}
	}
	shows(false)
	shows(false)
	change("scopes = '{read:interviews_metadata,read:customer_identity}'")
	shows(true)
	shows(true)
	change("scopes = '{read:interviews_metadata}'")
	shows(false)
	change("scopes = '{read:campaigns}'")
	if answer := ask(); !strings.Contains(string(answer.Body), "unknown tool") || strings.Contains(string(answer.Body), id) {
		t.Errorf("without its scope: %d %s", answer.Status, answer.Body)
	}
	change("scopes = '{read:interviews_metadata}'")
	shows(false)
	change("expires_at = now() - interval '1 second'")
	ask().WantError(t, http.StatusUnauthorized, "expired_api_key", "API key has expired")
	if line := `"operation":"mcp","status":401`; !strings.Contains(srv.Logs.String(), line) {
		t.Errorf("a refusal is logged as another operation's, want %s", line)
	}
	change("expires_at = NULL")
	shows(false)
	if got := countRows(t, seed, issued.ID.String()); got != 600-left {
		t.Errorf("%d calls are in the log, want %d", got, 600-left)
	}
}
