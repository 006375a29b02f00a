package mcp_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// A usual call needs no library, and is answered as the library answers an unusual one.
func TestCall_DirectlyAndThroughTheSDK(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "acme", nil)
	key := srv.KeyFor(t, "acme")
	for _, revision := range revisions {
		for _, arguments := range []string{`{}`, `{"limit":0}`} {
			ask := func(member string) (any, bool) {
				params := `{"name":"list_interviews","arguments":` + arguments + member + `}`
				// The library writes the id's character without an escape.
				body := strings.Replace(message(revision, "tools/call", params), `"id":7`, `"id":"\u0037"`, 1)
				answer := srv.Post(t, endpoint, key, form(revision, "tools/call", "list_interviews"), strings.NewReader(body))
				text := string(answer.Body)
				return decode(t, []byte(moment.ReplaceAllString(text, `"$1":"…"`))), strings.Contains(text, `"id":"\u0037"`)
			}
			usual, direct := ask("")
			unusual, unusualDirect := ask(`,"anything":1`)
			if !direct || unusualDirect {
				t.Errorf("%s %s: not answered directly, or not through the library", revision, arguments)
			}
			if !reflect.DeepEqual(usual, unusual) {
				t.Errorf("%s %s:\n got %v\nwant %v", revision, arguments, usual, unusual)
			}
		}
	}
}
