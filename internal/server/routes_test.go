package server_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func TestRoutes_UnknownRoutesAndMethods(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, path := range []string{
		"/", "/api/client/v1", "/api/client/v1/", "/api/client/v1/nothing", "/api/client/v1/interviews/", "/api/client/v2/interviews",
		"/api/client/v1/interviews/a/b",
		// Agents that find OAuth metadata start a login instead of sending the key.
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/client/v1/mcp", "/.well-known/oauth-authorization-server",
		"/.well-known/openid-configuration", "/api/client/v1/mcp/.well-known/openid-configuration", "/register",
	} {
		srv.Get(t, path, "").WantError(t, 404, "not_found", "not found")
	}
	if head := srv.Send(t, http.MethodHead, interviews, "", nil).WantStatus(t, 405); head.Header.Get("Allow") != "GET" {
		t.Errorf("HEAD: Allow is %q, want GET", head.Header.Get("Allow"))
	}
}

// An escaped letter is that letter, in the fixed part of a path too; an escaped slash is none.
func TestRoutes_EscapedLetters(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for path, status := range map[string]int{
		"/api/client/v1/%69ntervi%65ws": 200, "/%61%50%49/client/v1/campaigns": 404, "/api/clien%74/v1/ope%6Eapi%2Ejson": 200,
		"/api/client/v1/%6dcp": 405, "/%64ocs": 200, "/api%2Fclient/v1/campaigns": 404, "/api/client/v1/%69nterviews/a%2Fb": 404,
	} {
		srv.Get(t, path, key).WantStatus(t, status)
	}
}

// A path that does not exist is not found, whatever is to be done with it.
func TestRoutes_AnUnknownPathIsNotFoundByAnyMethod(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodTrace, "PURGE"} {
		for _, path := range []string{"/", "/nothing", "/api/client/v1", "/api/client/v1/nothing", "/api/client/v1/interviews/a/b"} {
			srv.Send(t, method, path, "", nil).WantError(t, 404, "not_found", "not found")
		}
	}
	for path, allow := range map[string]string{interviews: "GET", interviews + "/a%2Fb": "GET", "/api/client/v1/openapi.json": "GET, HEAD"} {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "PURGE"} {
			answer := srv.Send(t, method, path, "", nil).WantError(t, 405, "method_not_allowed", "method not allowed")
			check.Equal(t, answer.Header.Get("Allow"), allow, method, path)
		}
	}
}

// A slash too many leads to the page, under any path that a proxy adds; below /docs what
// does not exist is told on a page with the same protection and with links that work.
func TestRoutes_PagesForPeople(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	closed := *srv
	closed.URL = srv.StartAnother(t, func(s *config.Server) { s.Docs = "off" })
	for path, to := range map[string]string{
		"/docs/": "../docs", "/docs/bi-guide/?a=b": "../bi-guide?a=b", "/docs/Interview//": "../../Interview", "/explore/": "../explore",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+path, nil)
		require.NoError(t, err)
		answer, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err)
		_ = answer.Body.Close()
		if got := answer.Header.Get("Location"); answer.StatusCode != http.StatusMovedPermanently || got != to {
			t.Errorf("%s: %d to %q, want a redirect to %q", path, answer.StatusCode, got, to)
		}
		closed.Get(t, path, "").WantError(t, 404, "not_found", "not found")
	}
	page := srv.Get(t, "/docs/none/at/all", "").WantStatus(t, 404)
	if page.Header.Get("Content-Security-Policy") == "" || page.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("an unknown page has the headers %v", page.Header)
	}
	for _, link := range htmlLink.FindAllSubmatch(page.Body, -1) {
		if link := string(link[1]); link != "#main" {
			leadsSomewhere(t, srv, "/docs/none/at/all", link)
		}
	}
	srv.Send(t, http.MethodPost, "/docs/", "", nil).WantStatus(t, 404)
	srv.Get(t, "/docsother/", "").WantError(t, 404, "not_found", "not found")
}

// An address alone leads to the contract and the documentation.
func TestRoutes_ResponsesLinkTheDocumentation(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	behind, closed := *srv, *srv
	behind.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = "https://intel.brand.example/front/" })
	closed.URL = srv.StartAnother(t, func(s *config.Server) { s.Docs = "off" })
	const contract, help = `</api/client/v1/openapi.json>; rel="service-desc"`, `</docs>; rel="help"`
	key := srv.KeyFor(t, "acme")
	for _, c := range []struct {
		from      *apitest.Server
		path, key string
		status    int
		want      []string
	}{
		{srv, "/", "", 404, []string{help}},
		{srv, "/api/client/v10", "", 404, []string{help}},
		{srv, "/api/client/v1", "", 404, []string{contract, help}},
		{srv, "/api/client/v1/mcp", "", 401, []string{contract, help}},
		{srv, interviews, "", 401, []string{contract, help}},
		{srv, interviews, "cik_wrong", 401, []string{contract, help}},
		{srv, interviews + "/none", key, 404, []string{contract, help}},
		{srv, interviews, key, 200, []string{contract}},
		// The key is known by now, and its requests are read while they are admitted.
		{srv, interviews + "/" + uuid.NewString(), key, 404, []string{contract, help}},
		{srv, interviews + "?limit=0", key, 400, []string{contract}},
		{srv, contractPath, "", 200, []string{contract}},
		{srv, "/docs", "", 200, nil},
		{&behind, "/api/client/v1", "", 404, []string{`</front/api/client/v1/openapi.json>; rel="service-desc"`, `</front/docs>; rel="help"`}},
		{&closed, "/", "", 404, []string{`</api/client/v1/bi-guide.md>; rel="help"`}},
		{&closed, "/docs", "", 404, []string{`</api/client/v1/bi-guide.md>; rel="help"`}},
		{&closed, "/llms.txt", "", 404, []string{`</api/client/v1/bi-guide.md>; rel="help"`}},
	} {
		answer := c.from.Get(t, c.path, c.key).WantStatus(t, c.status)
		check.Slices(t, answer.Header.Values("Link"), c.want, c.path, c.status)
	}
}

func TestRoutes_KeyRoutesAreNeverCached(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, key := range []string{"", srv.KeyFor(t, "acme")} {
		check.Equal(t, srv.Get(t, interviews, key).Header.Get("Cache-Control"), "private, no-store", "Cache-Control")
	}
}
