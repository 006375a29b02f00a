package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// Whatever became of a key since its last request, the answer is that of the key
// as it is now, and each request counts once. The key came before, so each answer
// but the first was read on the presumption that nothing has changed.
func TestReadSpeculatively_TheCachedCallerIsNeverTheAnswer(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	const email = "zoe@customer.example"
	id := seed.Interview(t, "acme", apitest.Fields{"participant_email": email})
	issued := srv.Issue(t, apikey.Request{Client: "acme", Name: "changing", Scopes: []auth.Scope{auth.ReadInterviewsMetadata}})
	left := 600
	ask := func(path string) *apitest.Response {
		t.Helper()
		answer := srv.Get(t, path, issued.Key)
		if got := answer.Header.Get("X-RateLimit-Remaining"); answer.Status < 400 && got != strconv.Itoa(left) {
			t.Errorf("%s: %s requests remain, want %d", path, got, left)
		}
		left--
		return answer
	}
	change := func(set string) { seed.Exec(t, "UPDATE api_keys SET "+set+" WHERE id = $1", issued.ID) }
	for _, path := range []string{interviews, interviews + "/" + id} {
		shows := func(want bool) {
			t.Helper()
			answer := ask(path).WantStatus(t, http.StatusOK)
			if got := strings.Contains(string(answer.Body), email); got != want {
				t.Errorf("%s: the address is shown: %v, want %v", path, got, want)
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
		ask(path).WantError(t, http.StatusForbidden, "insufficient_scope", "Missing required scope: read:interviews_metadata")
		change("scopes = '{read:interviews_metadata}'")
		shows(false)
		change("expires_at = now() - interval '1 second'")
		ask(path).WantError(t, http.StatusUnauthorized, "expired_api_key", "API key has expired")
		change("expires_at = NULL")
		shows(false)
	}
	// Another process uses up the rest.
	seed.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT l.client_id, l.key_id, clock_timestamp(), l.seq + n, 'listInterviews', 200
		FROM (SELECT DISTINCT ON (key_id) client_id, key_id, seq FROM request_log WHERE key_id = $1 ORDER BY key_id, seq DESC) AS l,
			generate_series(1, 600 - l.seq) AS n`, issued.ID)
	answer := srv.Get(t, interviews, issued.Key).WantError(t, http.StatusTooManyRequests, "rate_limited", "rate_limited")
	if answer.Header.Get("Retry-After") == "" || strings.Contains(string(answer.Body), id) {
		t.Errorf("the refusal is %v %s", answer.Header, answer.Body)
	}
	var rows int
	seed.Query(t, &rows, "SELECT count(*) FROM request_log WHERE key_id = $1", issued.ID)
	if rows != 600 {
		t.Errorf("%d requests are in the log, want 600", rows)
	}
}
