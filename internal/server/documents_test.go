package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

const contractPath = "/api/client/v1/openapi.json"

func TestContract_IsServedAsWritten(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	answer := srv.Get(t, contractPath+"?anything=goes&limit=x", "").WantStatus(t, 200)
	var served, written any
	answer.Decode(t, &served)
	source, err := os.ReadFile("../../openapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(source, &written); err != nil {
		t.Fatal(err)
	}
	// Through JSON once, so that both sides use the same number types.
	text, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(served, again) {
		t.Error("the served contract differs from openapi.yaml")
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=300",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if answer.Header.Get("X-RateLimit-Limit") != "" {
		t.Error("a public document carries rate-limit headers")
	}
}

func TestContract_IsNotSentTwice(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	etag := srv.Get(t, contractPath, "").Header.Get("ETag")
	if etag == "" {
		t.Fatal("no ETag")
	}
	again := srv.Send(t, http.MethodGet, contractPath, "", http.Header{"If-None-Match": {etag}}).WantStatus(t, 304)
	if len(again.Body) != 0 {
		t.Errorf("a 304 has a body of %d bytes", len(again.Body))
	}
	srv.Send(t, http.MethodGet, contractPath, "", http.Header{"If-None-Match": {`"other"`}}).WantStatus(t, 200)
	srv.Send(t, http.MethodHead, contractPath, "", nil).WantStatus(t, 200)
	// Conditions that could only be refused outside the envelope are not looked at.
	for name, value := range map[string]string{"Range": "bytes=99999999-", "If-Match": `"other"`, "If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"} {
		answer := srv.Send(t, http.MethodGet, contractPath, "", http.Header{name: {value}, "Accept-Encoding": {"identity"}}).WantStatus(t, 200)
		if ranges := answer.Header.Get("Accept-Ranges"); ranges != "" {
			t.Errorf("Accept-Ranges is %q, and no range is given", ranges)
		}
	}
}

// A strong ETag names bytes: a cache that holds one encoding must not answer with
// it for the other.
func TestDocuments_EachEncodingHasItsOwnETag(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, path := range append([]string{contractPath, "/llms.txt", "/docs"}, guides...) {
		plain := srv.Send(t, http.MethodGet, path, "", http.Header{"Accept-Encoding": {"identity"}}).WantStatus(t, 200)
		for _, accepted := range []string{"gzip", "br, GZIP;q=0.5", "zstd, gzip"} {
			packed := getPacked(t, srv.URL+path, accepted)
			reader, err := gzip.NewReader(packed.Body)
			if err != nil {
				t.Fatalf("%s, %s: %v", path, accepted, err)
			}
			if body, err := io.ReadAll(reader); err != nil || !bytes.Equal(body, plain.Body) || packed.Header.Get("Content-Encoding") != "gzip" {
				t.Errorf("%s, %s: another document, %v", path, accepted, err)
			}
			packed.Body.Close()
			etag := packed.Header.Get("ETag")
			if etag == "" || etag == plain.Header.Get("ETag") || packed.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s, %s: the ETag is %s, the plain one's is the same, or Vary is %q", path, accepted, etag, packed.Header.Get("Vary"))
			}
			again := http.Header{"Accept-Encoding": {accepted}, "If-None-Match": {etag}}
			if got := srv.Send(t, http.MethodGet, path, "", again).WantStatus(t, 304).Header.Get("ETag"); got != etag {
				t.Errorf("%s, %s: a 304 has the ETag %s, want %s", path, accepted, got, etag)
			}
			srv.Send(t, http.MethodGet, path, "", http.Header{"Accept-Encoding": {"identity"}, "If-None-Match": {etag}}).WantStatus(t, 200)
		}
		for _, refused := range []string{"gzip;q=0", "gzip; q=0.0", "br", "zstd", "gzip;q=no"} {
			answer := srv.Send(t, http.MethodGet, path, "", http.Header{"Accept-Encoding": {refused}}).WantStatus(t, 200)
			if !bytes.Equal(answer.Body, plain.Body) || answer.Header.Get("ETag") != plain.Header.Get("ETag") ||
				answer.Header.Get("Content-Encoding") != "" || answer.Header.Get("No-Gzip-Compression") != "" {
				t.Errorf("%s, %s: %v", path, refused, answer.Header)
			}
		}
	}
}

// identity keeps the HTTP client from asking for gzip, which it does for GET alone.
var identity = http.Header{"Accept-Encoding": {"identity"}}

var guides = []string{"/api/client/v1/bi-guide.md", "/api/client/v1/agent-guide.md"}

// The guides are public in every respect: no key, no quota, any origin, and
// nothing is sent twice.
func TestGuides_ArePublic(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, path := range guides {
		answer := srv.Send(t, http.MethodGet, path+"?anything=goes", "", identity).WantStatus(t, 200)
		etag := answer.Header.Get("ETag")
		for name, want := range map[string]string{
			"Content-Type": "text/markdown; charset=utf-8", "Access-Control-Allow-Origin": "*",
			"Cache-Control": "public, max-age=300", "X-RateLimit-Limit": "", "WWW-Authenticate": "",
		} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if len(answer.Body) < 5000 || !strings.HasPrefix(string(answer.Body), "# ") || etag == "" {
			t.Errorf("%s: %d bytes with ETag %q, want a guide", path, len(answer.Body), etag)
		}
		head := srv.Send(t, http.MethodHead, path, "", nil).WantStatus(t, 200)
		if len(head.Body) != 0 || head.Header.Get("ETag") != etag || head.Header.Get("Content-Type") != answer.Header.Get("Content-Type") {
			t.Errorf("%s: HEAD answers %d bytes with %v", path, len(head.Body), head.Header)
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			unchanged := http.Header{"If-None-Match": {etag}, "Accept-Encoding": {"identity"}}
			again := srv.Send(t, method, path, "", unchanged).WantStatus(t, 304)
			if len(again.Body) != 0 || again.Header.Get("ETag") != etag {
				t.Errorf("%s: a 304 has %d bytes and the ETag %q", path, len(again.Body), again.Header.Get("ETag"))
			}
		}
		srv.Send(t, http.MethodGet, path, "", http.Header{"If-None-Match": {`"other"`}}).WantStatus(t, 200)
		refused := srv.Send(t, http.MethodPost, path, "", nil).WantError(t, 405, "method_not_allowed", "method not allowed")
		if got := refused.Header.Get("Allow"); got != "GET, HEAD" {
			t.Errorf("%s: a 405 allows %q, want GET, HEAD", path, got)
		}
		// A key makes no difference, not even a wrong one.
		srv.Get(t, path, srv.KeyFor(t, "acme")).WantStatus(t, 200)
		srv.Get(t, path, "cik_wrong").WantStatus(t, 200)
	}
	var counted int
	seed.Query(t, &counted, "SELECT count(*) FROM request_log")
	if counted != 0 {
		t.Errorf("%d requests for guides were counted", counted)
	}
}

// A guide tells its reader where to send a key, so only the operator decides what
// address it names, never a request's own headers.
func TestGuides_NameTheOperatorsAddressAndNoOther(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	public := *srv
	public.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = "https://intel.brand.example/api-front/" })
	for _, path := range guides {
		plain := srv.Get(t, path, "")
		deceived := srv.Send(t, http.MethodGet, path, "", http.Header{
			"X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Proto": {"https"}, "Forwarded": {"host=evil.example;proto=https"},
		})
		byHost := getAsHost(t, srv.URL+path, "evil.example")
		if !bytes.Equal(plain.Body, deceived.Body) || !bytes.Equal(plain.Body, byHost) {
			t.Errorf("%s: differs with the request's headers", path)
		}
		if !bytes.Contains(plain.Body, []byte("](./openapi.json)")) || !bytes.Contains(plain.Body, []byte("='https://clientintel.example.com'")) {
			t.Errorf("%s: without a public address, wants relative links and an address to replace", path)
		}
		named := public.Get(t, path, "")
		if named.Header.Get("ETag") == plain.Header.Get("ETag") {
			t.Errorf("%s: two addresses share an ETag", path)
		}
		for _, want := range []string{
			"](https://intel.brand.example/api-front/api/client/v1/openapi.json)", "='https://intel.brand.example/api-front'",
		} {
			if !bytes.Contains(named.Body, []byte(want)) {
				t.Errorf("%s: wants %s", path, want)
			}
		}
		for _, left := range []string{"clientintel.example.com", "](./"} {
			if bytes.Contains(named.Body, []byte(left)) {
				t.Errorf("%s: with a public address, %s is left over", path, left)
			}
		}
	}
}

// getPacked leaves the body as it came.
func getPacked(t *testing.T, url, accepted string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", accepted)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v: %v", res, err)
	}
	return res
}

func getAsHost(t *testing.T, url, host string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
