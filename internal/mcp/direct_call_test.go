package mcp_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// A usual call needs no library, and is answered as the library answers an unusual one.
func TestCall_DirectlyAndThroughTheLibrary(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for range 8 { // more than an answer may have that is sent without its length
		seed.Interview(t, "acme", nil)
	}
	key := srv.KeyFor(t, "acme")
	for _, revision := range revisions {
		for _, arguments := range []string{`{}`, `{"limit":0}`} {
			ask := func(member string) (any, bool) {
				params := `{"name":"list_interviews","arguments":` + arguments + member + `}`
				header := form(revision, "tools/call", "list_interviews")
				header.Set("Accept-Encoding", "identity")
				answer := srv.Post(t, endpoint, key, header, strings.NewReader(message(revision, "tools/call", params)))
				return decode(t, []byte(moment.ReplaceAllString(string(answer.Body), `"$1":"…"`))), answer.Header.Get("Content-Length") != ""
			}
			usual, direct := ask("")
			unusual, large := ask(`,"anything":1`)
			if !direct || arguments == `{}` && large {
				t.Errorf("%s %s: not answered directly, or not through the library", revision, arguments)
			}
			if !reflect.DeepEqual(usual, unusual) {
				t.Errorf("%s %s:\n got %v\nwant %v", revision, arguments, usual, unusual)
			}
		}
	}
}
