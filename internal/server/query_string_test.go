package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// A semicolon in a value is a character of it, as RFC 3986 has it: a filter with one
// is neither refused nor left out.
func TestQueryString_ASemicolonIsACharacter(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "acme", apitest.Fields{"status": "completed", "best_quote": "late; slow"})
	key := srv.KeyFor(t, "acme")
	for query, want := range map[string]int{"status=completed": 1, "status=completed;x": 0, "status=;completed": 0, "status=completed&": 1} {
		if got := len(srv.Get(t, interviews+"?"+query, key).List(t).Data); got != want {
			t.Errorf("%s: %d interviews, want %d", query, got, want)
		}
	}
	for query, want := range map[string]int{"q=late;+slow": 1, "q=late;slow": 0} {
		if got := len(srv.Get(t, searchPath+"?"+query, key).List(t).Data); got != want {
			t.Errorf("%s: %d hits, want %d", query, got, want)
		}
	}
}

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

func TestGetInterview_AnEncodedIDIsTheSameID(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	id := seed.Interview(t, "acme", nil)
	key := srv.KeyFor(t, "acme")
	encoded := strings.ReplaceAll(id, "-", "%2D")
	srv.Get(t, interviews+"/"+encoded, key).WantStatus(t, 200)
	twice := fmt.Sprintf("%%25%x", id[0]) + id[1:]
	for _, path := range []string{twice, strings.ReplaceAll(id, "-", "%252D"), encoded + "%2F", "x" + encoded, encoded[:len(encoded)-1]} {
		if answer := srv.Get(t, interviews+"/"+path, key); answer.Status != 404 {
			t.Errorf("%s: %d, want 404", path, answer.Status)
		}
	}
}
