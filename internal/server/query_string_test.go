package server_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// Whatever is wrong with a value, the code is its parameter's own; and the scope that
// parameters decide is looked at before the rest of them.
func TestQueryString_AMalformedEscapeHasItsParametersCode(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for path, code := range map[string]string{
		interviews + "?starting_after=abc%2":             "invalid_cursor",
		campaigns + "?starting_after=%zz":                "invalid_cursor",
		campaigns + "?updated_since=2026-01-01T00:00%2":  "invalid_updated_since",
		campaigns + "?updated_since=%zz&limit=0":         "invalid_parameter",
		"/api/client/v1/synthesis?surface=%zz&day=x":     "invalid_parameter",
		interviews + "?limit=%zz&starting_after=x":       "invalid_parameter",
		interviews + "?unknown=%zz":                      "invalid_parameter",
		interviews + "?date_from=%zz&date_to=2026-01-01": "invalid_parameter",
	} {
		if answer := srv.Get(t, path, key); answer.Status != 400 || !strings.Contains(string(answer.Body), `"code":"`+code+`"`) {
			t.Errorf("%s: %d %s, want 400 %s", path, answer.Status, answer.Body, code)
		}
	}
	narrow := srv.Issue(t, apikey.Request{Client: "acme", Name: "narrow", Scopes: []auth.Scope{auth.ReadSynthesis}}).Key
	for _, rest := range []string{"day=%zz", "%zz=x", "unknown=x"} {
		srv.Get(t, "/api/client/v1/synthesis?surface=portal&type=daily_feed&"+rest, narrow).WantStatus(t, 403)
	}
}
