package server_test

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

var (
	pages = []string{"/docs", "/docs/listInterviews", "/docs/getOpenapi", "/docs/bi-guide", "/docs/agent-guide", "/docs/clients"}
	files = []string{"/docs/theme.js", "/docs/page.js", "/docs/page.css", "/docs/icon.svg", "/docs/search.json"}
)

// A page takes a key, so nothing foreign may run in it, frame it or learn from it.
func TestPages_ArePublicAndClosedToOthers(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, path := range slices.Concat(pages, files, []string{"/llms.txt", "/docs/changelog"}) {
		answer := srv.Send(t, http.MethodGet, path+"?anything=goes", "", identity).WantStatus(t, 200)
		etag := answer.Header.Get("ETag")
		want := map[string]string{
			"Cache-Control": "public, max-age=300", "X-Content-Type-Options": "nosniff", "X-RateLimit-Limit": "",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Access-Control-Allow-Origin": "",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
				"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		}
		if path == "/llms.txt" || path == "/docs/changelog" {
			want["Content-Security-Policy"], want["Referrer-Policy"], want["Cross-Origin-Opener-Policy"] = "", "", ""
			want["Access-Control-Allow-Origin"] = "*"
		}
		for name, value := range want {
			if got := answer.Header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", path, name, got, value)
			}
		}
		head := srv.Send(t, http.MethodHead, path, "", nil).WantStatus(t, 200)
		if len(head.Body) != 0 || etag == "" || head.Header.Get("ETag") != etag {
			t.Errorf("%s: HEAD answers %d bytes with the ETag %q, GET has %q", path, len(head.Body), head.Header.Get("ETag"), etag)
		}
		srv.Send(t, http.MethodGet, path, "", http.Header{"If-None-Match": {etag}, "Accept-Encoding": {"identity"}}).WantStatus(t, 304)
		refused := srv.Send(t, http.MethodPost, path, "", nil).WantError(t, 405, "method_not_allowed", "method not allowed")
		if got := refused.Header.Get("Allow"); got != "GET, HEAD" {
			t.Errorf("%s: a 405 allows %q, want GET, HEAD", path, got)
		}
		// A key makes no difference, and is not counted.
		srv.Get(t, path, srv.KeyFor(t, "acme")).WantStatus(t, 200)
	}
	var counted int
	seed.Query(t, &counted, "SELECT count(*) FROM request_log")
	if counted != 0 {
		t.Errorf("%d requests for public pages were counted", counted)
	}
}

// nosniff makes the header the only source of the content type.
func TestPages_HaveTheirContentType(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for path, want := range map[string]string{
		"/docs": "text/html; charset=utf-8", "/docs/bi-guide": "text/html; charset=utf-8", "/docs/page.js": "text/javascript; charset=utf-8",
		"/docs/page.css": "text/css; charset=utf-8", "/docs/search.json": "application/json",
		"/docs/connectors/dlt/clientintel.py": "text/plain; charset=utf-8", "/docs/icon.svg": "image/svg+xml", "/docs/changelog": "text/markdown; charset=utf-8", "/llms.txt": "text/plain; charset=utf-8",
	} {
		if got := srv.Get(t, path, "").WantStatus(t, 200).Header.Get("Content-Type"); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// With the policy above, code or style in the page's own text would not run: a
// page that has some is broken.
func TestPages_HaveNoInlineCode(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	inline := regexp.MustCompile(`(?i)<script(?:[^>]*>)[^<]|<style|\sstyle=|\son[a-z]+=|javascript:|src="(?:https?:)?//`)
	for _, path := range pages {
		body := srv.Get(t, path, "").WantStatus(t, 200).Body
		if found := inline.Find(body); found != nil {
			t.Errorf("%s holds %q", path, found)
		}
	}
}

var (
	htmlLink     = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	markdownLink = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	anchor       = regexp.MustCompile(`\sid="([^"]*)"`)
)

// Every link of the pages and of llms.txt leads somewhere, fragments included,
// with a public address and without one.
func TestPages_LinksResolve(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	const address = "https://intel.brand.example"
	public := *srv
	public.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = address })
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
	if err != nil {
		t.Fatal(err)
	}
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

// The search leads to places that exist.
func TestPages_SearchResultsResolve(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	var entries []struct{ Title, Where, URL string }
	srv.Get(t, "/docs/search.json", "").Decode(t, &entries)
	wanted := map[string]bool{"nps_score": false, "starting_after": false, "invalid_cursor": false, "List interviews": false, "Count from fields": false}
	checked := map[string]bool{}
	for _, e := range entries {
		if _, ok := wanted[e.Title]; ok {
			wanted[e.Title] = true
		}
		if !checked[e.URL] {
			checked[e.URL] = true
			leadsSomewhere(t, srv, "/docs/search.json", e.URL)
		}
	}
	for title, found := range wanted {
		if !found {
			t.Errorf("the search does not find %s", title)
		}
	}
}

// A page or a list of links that repeated a request's Host header would send its
// reader, and his key, wherever that header says.
func TestPages_NamesTheOperatorsAddressAndNoOther(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	public := *srv
	public.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = "https://intel.brand.example/front/" })
	for _, path := range append([]string{"/llms.txt"}, pages...) {
		plain := srv.Get(t, path, "")
		if !bytes.Equal(plain.Body, getAsHost(t, srv.URL+path, "evil.example")) {
			t.Errorf("%s differs with the Host header", path)
		}
		named := public.Get(t, path, "")
		if !bytes.Contains(named.Body, []byte("https://intel.brand.example/front")) ||
			bytes.Contains(named.Body, []byte("clientintel.example.com")) {
			t.Errorf("%s does not name the public address alone", path)
		}
	}
	if body := srv.Get(t, "/llms.txt", "").Body; !bytes.Contains(body, []byte("](./api/client/v1/mcp)")) || bytes.Contains(body, []byte("://")) {
		t.Errorf("without a public address, links must be relative:\n%s", body)
	}
}
