package guides_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// howToHash is what the guide says of the form that is hashed, in Python.
const howToHash = `sort_keys=True, separators=(",", ":"), ensure_ascii=False`

const scopeScript = `import hashlib, json, sys
client_id, *texts = sys.argv[1:]
for text in texts:
    scope = json.dumps({"client_id": client_id, "filters": {"status": text, "date_from": "2026-01-01"}, "route": "/interviews"},
                       ` + howToHash + `)
    print(hashlib.sha256(scope.encode("utf-8")).hexdigest())
`

// The form holds for any text that a filter may carry, not for dates alone.
func TestBIGuide_ScopeHashCanBeRecomputedForAnyText(t *testing.T) {
	t.Parallel()
	if !strings.Contains(guideSources()[biGuide], howToHash) {
		t.Fatalf("the guide no longer says %s", howToHash)
	}
	srv, seed := apitest.Start(t)
	w := newSandbox(t, srv.URL, srv.KeyFor(t, "globex"))
	texts := []string{
		"analyzed", "ä ö ü ß", `a "quoted" \ back/slash`, "tab\tline\nfeed\rreturn\bback\fform", "\x01\x1f\x7f", "\u0085\u2028\u2029\ufeff",
		"日本 👋🏽", "<&>", "é vs e\u0301", " ", "%2B+",
	}
	printed := w.runPython(t, scopeScript, append([]string{seed.Clients["globex"].String()}, texts...)...)
	hashes := strings.Split(strings.TrimSpace(printed), "\n")
	if len(hashes) != len(texts) {
		t.Fatalf("got %d hashes for %d texts", len(hashes), len(texts))
	}
	for i, text := range texts {
		query := url.Values{"status": {text}, "date_from": {"2026-01-01"}, "limit": {"7"}}
		answer := srv.Get(t, prefix+"/interviews?"+query.Encode(), w.key).WantStatus(t, 200)
		var got struct {
			Meta struct {
				Basis struct {
					ScopeHash string `json:"scope_hash"`
				} `json:"measurement_basis"`
			}
		}
		answer.Decode(t, &got)
		if got.Meta.Basis.ScopeHash != hashes[i] {
			t.Errorf("%q: the service says %s, the guide's form gives %s", text, got.Meta.Basis.ScopeHash, hashes[i])
		}
	}
}
