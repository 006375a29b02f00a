package server_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

const contractPath = "/api/client/v1/openapi.json"

var (
	guides = []string{"/api/client/v1/bi-guide.md", "/api/client/v1/agent-guide.md"}
	pages  = []string{
		"/docs", "/docs/listInterviews", "/docs/getOpenapi", "/docs/Interview", "/docs/PublishedSynthesisBody", "/docs/errors",
		"/docs/bi-guide", "/docs/agent-guide", "/docs/mcp", "/docs/clients", "/docs/connectors", "/docs/changelog",
	}
)

// Public documents need no key, count nothing and are not sent twice. A cache that has one
// encoding must not answer with it for the other. A page takes a key, so nothing foreign may
// run in it, frame it or learn from it; any origin may fetch the others.
func TestDocuments_ArePublic(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	const closed = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	const html, markdown = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
	for path, contentType := range map[string]string{
		contractPath: "application/json", guides[0]: markdown, guides[1]: markdown, "/docs/changelog.md": markdown, "/llms.txt": "text/plain; charset=utf-8", "/docs/openapi-3.0.json": "application/json",
		"/docs": html, "/docs/bi-guide": html, "/docs/assets/docs.js": "text/javascript; charset=utf-8", "/docs/assets/base.css": "text/css; charset=utf-8",
		"/docs/search.json": "application/json", "/docs/assets/icon.svg": "image/svg+xml", "/docs/connectors/dlt/clientintel_dlt.py": "text/plain; charset=utf-8",
		"/docs/clients/clientintel-1.2.0-py3-none-any.whl": "application/zip", "/docs/clients/SHA256SUMS": "text/plain; charset=utf-8",
		"/explore": html, "/explore/assets/base.js": "text/javascript; charset=utf-8",
	} {
		send := func(method string, header ...string) *apitest.Response {
			sent := http.Header{"Accept-Encoding": {"identity"}} // or the client asks for gzip
			for i := 0; i < len(header); i += 2 {
				sent.Set(header[i], header[i+1])
			}
			return srv.Send(t, method, path+"?anything=goes", "", sent)
		}
		plain := send(http.MethodGet).WantStatus(t, 200)
		want := map[string]string{
			"Content-Type": contentType, "Cache-Control": "public, max-age=300", "X-RateLimit-Limit": "", "WWW-Authenticate": "",
			"X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*", "Accept-Ranges": "",
		}
		if strings.HasPrefix(path, "/explore") || strings.HasPrefix(path, "/docs") && path != "/docs/changelog.md" && path != "/docs/openapi-3.0.json" && !strings.HasPrefix(path, "/docs/connectors/") && !strings.HasPrefix(path, "/docs/clients/") {
			want["Access-Control-Allow-Origin"], want["Content-Security-Policy"] = "", closed
			want["Referrer-Policy"], want["Cross-Origin-Opener-Policy"] = "no-referrer", "same-origin"
		}
		for name, value := range want {
			check.Equal(t, plain.Header.Get(name), value, path, name)
		}
		etag := plain.Header.Get("ETag")
		if head := send(http.MethodHead).WantStatus(t, 200); len(head.Body) != 0 || etag == "" || head.Header.Get("ETag") != etag {
			t.Errorf("%s: HEAD answers %d bytes with the ETag %q, GET has %q", path, len(head.Body), head.Header.Get("ETag"), etag)
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if again := send(method, "If-None-Match", etag).WantStatus(t, 304); len(again.Body) != 0 || again.Header.Get("ETag") != etag {
				t.Errorf("%s: a 304 has %d bytes and the ETag %q", path, len(again.Body), again.Header.Get("ETag"))
			}
		}
		send(http.MethodGet, "If-None-Match", `"other"`).WantStatus(t, 200)
		twoLines := http.Header{"Accept-Encoding": {"identity"}, "If-None-Match": {`"other"`, etag}}
		srv.Send(t, http.MethodGet, path, "", twoLines).WantStatus(t, 304)
		// Conditions that could only be refused outside the envelope are not looked at.
		send(http.MethodGet, "Range", "bytes=99999999-", "If-Match", `"other"`, "If-Unmodified-Since", "Mon, 01 Jan 2001 00:00:00 GMT").WantStatus(t, 200)
		if refused := send(http.MethodPost).WantError(t, 405, "method_not_allowed", "method not allowed"); refused.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: a 405 allows %q, want GET, HEAD", path, refused.Header.Get("Allow"))
		}
		packed := getPacked(t, srv.URL+path)
		send(http.MethodGet, "Accept-Encoding", "gzip", "If-None-Match", packed.Header.Get("ETag")).WantStatus(t, 304)
		if packed.Header.Get("Content-Encoding") == "gzip" {
			reader, err := gzip.NewReader(packed.Body)
			require.NoError(t, err, path)
			if body, err := io.ReadAll(reader); err != nil || !bytes.Equal(body, plain.Body) || packed.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: compressed, another document, or Vary is %q: %v", path, packed.Header.Get("Vary"), err)
			}
			if packed.Header.Get("ETag") != etag || !strings.HasPrefix(etag, "W/") {
				t.Errorf("%s: compressed, the ETag is %s; want the weak one of all encodings, %s", path, packed.Header.Get("ETag"), etag)
			}
		} else if path == contractPath {
			t.Error("the contract is not compressed")
		}
		if refused := send(http.MethodGet, "Accept-Encoding", "gzip;q=0"); !bytes.Equal(refused.Body, plain.Body) || refused.Header.Get("ETag") != etag {
			t.Errorf("%s: compressed for a client that refuses that: %v", path, refused.Header)
		}
		// A key makes no difference, not even a wrong one.
		srv.Get(t, path, srv.KeyFor(t, "acme")).WantStatus(t, 200)
		srv.Get(t, path, "cik_wrong").WantStatus(t, 200)
	}
	counted := dbtest.Value[int](t, seed, "SELECT count(*) FROM request_log")
	check.Equal(t, counted, 0, "counted requests for public documents")
}

// A page, a guide or a list of links that repeated a request's Host header would send its
// reader, and his key, wherever that header says: only the operator names an address.
func TestDocuments_NameTheOperatorsAddressAndNoOther(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	public := *srv
	public.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = "https://intel.brand.example/front/" })
	count := 0
	for _, path := range append(append([]string{"/llms.txt"}, pages...), guides...) {
		plain := srv.Get(t, path, "")
		deceived := srv.Send(t, http.MethodGet, path, "", http.Header{
			"X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Proto": {"https"}, "Forwarded": {"host=evil.example;proto=https"},
		})
		if !bytes.Equal(plain.Body, deceived.Body) || !bytes.Equal(plain.Body, srv.Send(t, http.MethodGet, path, "", http.Header{"Host": {"evil.example"}}).Body) {
			t.Errorf("%s differs with the request's headers", path)
		}
		if !bytes.Contains(plain.Body, []byte("clientintel.example.com")) && path != "/llms.txt" {
			continue
		}
		count++
		named := public.Get(t, path, "")
		if !bytes.Contains(named.Body, []byte("https://intel.brand.example/front")) || named.Header.Get("ETag") == plain.Header.Get("ETag") ||
			bytes.Contains(named.Body, []byte("clientintel.example.com")) || bytes.Contains(named.Body, []byte("](./")) {
			t.Errorf("%s does not name the public address alone, or has one ETag for two addresses", path)
		}
	}
	if count < 8 {
		t.Errorf("%d documents name an address", count)
	}
}

// getPacked leaves the body as it came.
func getPacked(t *testing.T, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header.Set("Accept-Encoding", "br, GZIP;q=0.5")
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v: %v", res, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

var (
	htmlLink     = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	markdownLink = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	anchor       = regexp.MustCompile(`\sid="([^"]*)"`)
)

// Every link of the pages, of llms.txt and of the search leads somewhere, fragments included,
// with a public address and without one.
func TestPages_LinksResolve(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	const address = "https://intel.brand.example"
	public := *srv
	public.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = address })
	var found []struct{ URL string }
	srv.Get(t, "/docs/search.json", "").Decode(t, &found)
	checked := map[string]bool{}
	for _, entry := range found {
		if !checked[entry.URL] {
			checked[entry.URL] = true
			leadsSomewhere(t, srv, "/docs/search.json", entry.URL)
		}
	}
	if len(checked) < 20 {
		t.Errorf("the search knows %d places", len(checked))
	}
	for _, from := range []*apitest.Server{srv, &public} {
		for _, path := range append([]string{"/llms.txt"}, pages...) {
			body := from.Get(t, path, "").WantStatus(t, 200).Body
			links := htmlLink.FindAllSubmatch(body, -1)
			if path == "/llms.txt" {
				links = markdownLink.FindAllSubmatch(body, -1)
			}
			if len(links) < 5 {
				t.Errorf("%s has %d links", path, len(links))
			}
			for _, link := range links {
				leadsSomewhere(t, from, path, strings.TrimPrefix(string(link[1]), address))
			}
		}
	}
}

func leadsSomewhere(t *testing.T, srv *apitest.Server, path, link string) {
	t.Helper()
	base, err := url.Parse(path)
	require.NoError(t, err)
	to, err := base.Parse(link)
	if err != nil || to.Host != "" {
		t.Errorf("%s links to %q", path, link)
		return
	}
	want := http.StatusOK
	if to.Path == "/api/client/v1/mcp" {
		want = http.StatusUnauthorized
	}
	answer := srv.Get(t, to.RequestURI(), "").WantStatus(t, want)
	if to.Fragment == "" {
		return
	}
	for _, id := range anchor.FindAllSubmatch(answer.Body, -1) {
		if string(id[1]) == to.Fragment {
			return
		}
	}
	t.Errorf("%s links to %q, and there is no such place", path, link)
}
