package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// fuzzed is a server with many keys: a fuzzer uses up a key's limit in a second.
type fuzzed struct {
	*apitest.Server
	key   apikey.Issued
	spent int
}

func startFuzzed(f *testing.F) (*fuzzed, *apitest.Seed) {
	f.Helper()
	srv, seed := apitest.Start(f)
	return &fuzzed{Server: srv}, seed
}

// fresh is a key with quota left.
func (s *fuzzed) fresh(t testing.TB) apikey.Issued {
	t.Helper()
	if s.spent%500 == 0 {
		s.key = s.Issue(t, keyRequest("globex"))
	}
	s.spent++
	return s.key
}

// get sends what Go's client would refuse to spell, as far as HTTP can carry it.
func (s *fuzzed) get(t testing.TB, path, query string, header http.Header) (int, []byte) {
	t.Helper()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	target.Path, target.RawQuery = path, query
	req := (&http.Request{Method: http.MethodGet, URL: target, Header: header}).WithContext(context.Background())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s?%q: %v", path, query, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s?%q: reading the body: %v", path, query, err)
	}
	return res.StatusCode, body
}

// A whole request, over HTTP and down to PostgreSQL: whatever its query string,
// the response is a whole 200 or a 400 that says which parameter and why. A query
// that is taken and spelled in another way gets the same rows.
func FuzzAnswers(f *testing.F) {
	srv, seed := startFuzzed(f)
	campaign := seed.Campaign(f, "globex", apitest.Fields{"slug": "winter"})
	for range 3 {
		seed.Interview(f, "globex", apitest.Fields{"campaign_id": campaign})
		seed.Campaign(f, "globex", nil)
		seed.SynthesisDocument(f, "globex", nil)
		seed.PortalDocument(f, "globex", nil)
		seed.Interview(f, "acme", nil)
	}
	paths := []string{interviews, campaigns, synthesisPath, analyticsPath, searchPath}
	cursors := map[string]string{}
	for _, path := range paths[:3] {
		cursors[path] = srv.Get(f, path+"?limit=1", srv.fresh(f).Key).List(f).NextCursor(f)
	}
	for _, query := range []string{
		"", "limit=1", "limit=1&starting_after=CURSOR", "limit=200&starting_after=CURSORA", "starting_after=CURSOR&status=completed",
		"campaign_id=" + campaign.String() + "&status=completed", "date_from=0001-01-01&date_to=9999-12-31", "date_from=9999-12-31T23:59:59.999999Z",
		"updated_since=0001-01-01T00:00:00-00:00", "surface=portal&limit=1", "surface=portal&starting_after=CURSOR", "surface=portal&type=daily_feed&day=9999-12-31",
		"type=daily_feed&date_from=0001-01-01&date_to=9999-12-31", "campaign=winter", "campaign=winter&q=deliver&limit=2", "q=%25_%5C", "q=%E2%80%A8%EF%BF%BF&campaign=%F0%9F%98%80",
		"q=%C2%A0", "q=late+delivery", "status=%ff", "lane=%00", "status=%EF%BF%BD", "type=home&lane_id=x", "a=1&limit=1", "limit=9223372036854775808",
	} {
		for i := range paths {
			f.Add(uint8(i), query)
		}
	}
	f.Fuzz(func(t *testing.T, operation uint8, query string) {
		path := paths[int(operation)%len(paths)]
		query = strings.ReplaceAll(query, "CURSOR", cursors[path])
		if strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r == 0x7f }) || len(query) > 4000 {
			return // no request line carries these
		}
		status, body := srv.get(t, path, query, bearer(srv.fresh(t).Key))
		switch status {
		case http.StatusOK:
			values, err := url.ParseQuery(query)
			if err != nil {
				t.Fatalf("%s?%q is answered, and malformed: %v", path, query, err)
			}
			again, same := srv.get(t, path, values.Encode(), bearer(srv.fresh(t).Key))
			if got, want := dataIn(t, same), dataIn(t, body); again != http.StatusOK || got != want {
				t.Fatalf("%s?%q is answered with\n%s\nand spelled %s with %d\n%s", path, query, want, values.Encode(), again, got)
			}
		case http.StatusBadRequest:
			var e struct{ Error, Details, Code string }
			if err := json.Unmarshal(body, &e); err != nil || e.Error == "" || e.Details == "" || e.Code == "" || !utf8.ValidString(e.Details) || len(e.Details) > 1000 {
				t.Fatalf("%s?%q is refused with %s (%v)", path, query, body, err)
			}
		default:
			t.Fatalf("%s?%q: status %d, %s", path, query, status, body)
		}
	})
}

func bearer(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

// dataIn is a response without what tells the moment of reading.
func dataIn(t *testing.T, body []byte) string {
	t.Helper()
	var answer struct{ Data json.RawMessage }
	if err := json.Unmarshal(body, &answer); err != nil || answer.Data == nil {
		t.Fatalf("the answer %s is no envelope: %v", body, err)
	}
	return string(answer.Data)
}
