package server_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

func TestAccessLog_RequestIDs(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for given, echoed := range map[string]bool{
		"abc-123": true, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false, "tab\there": false, "é": false,
	} {
		answer := srv.Send(t, http.MethodGet, interviews, "", http.Header{"X-Request-Id": {given}})
		got := answer.Header.Get("X-Request-Id")
		if (got == given) != echoed || got == "" {
			t.Errorf("X-Request-Id %q came back as %q; echoed should be %v", given, got, echoed)
		}
	}
}

// The line of a refused request names the key whose prefix it carried: an operator
// finds out whose key is expired, or tried with a wrong secret.
func TestAccessLog_RefusalsNameTheKey(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	past := time.Now().Add(-time.Hour)
	expired := srv.Issue(t, apikey.Request{Client: "acme", Name: "expired", ExpiresAt: &past})
	live := srv.Issue(t, apikey.Request{Client: "acme", Name: "live"})
	for name, c := range map[string]struct{ token, keyID, clientID string }{
		"expired":        {expired.Key, expired.ID.String(), expired.ClientID.String()},
		"wrong secret":   {live.Key[:len(live.Key)-1] + "!", live.ID.String(), ""},
		"unknown prefix": {"cik_aaaaaaaaaaaa_x", "", ""},
	} {
		id := strings.ReplaceAll(name, " ", "-")
		srv.Send(t, http.MethodGet, interviews, c.token, http.Header{"X-Request-Id": {id}})
		var line struct {
			KeyID    string `json:"key_id"`
			ClientID string `json:"client_id"`
			Status   int
		}
		text := regexp.MustCompile(`.*"` + id + `".*`).FindString(srv.Logs.String())
		require.NoError(t, json.Unmarshal([]byte(text), &line))
		if line.Status != http.StatusUnauthorized || line.KeyID != c.keyID || line.ClientID != c.clientID {
			t.Errorf("%s: %+v, want key %q of client %q", name, line, c.keyID, c.clientID)
		}
	}
}
