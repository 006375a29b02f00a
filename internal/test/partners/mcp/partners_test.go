//go:build partners

package mcp_test

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/npm"
	"github.com/clientintel/clientintel/internal/test/require"
)

const endpoint = "/api/client/v1/mcp"

// packages are the clients and tools of package-lock.json.
var packages = &npm.Folder{Path: "."}

// run runs a script of the packages and returns what it printed and its exit.
func run(t *testing.T, script string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	return packages.Run(t, script, args...)
}

// start runs a server that has something of everything to show.
func start(t *testing.T) (*apitest.Server, *apitest.Seed) {
	t.Helper()
	srv, seed := apitest.Start(t)
	for _, client := range []string{"acme", "globex"} {
		campaign := seed.Campaign(t, client, apitest.Fields{"slug": "winter-launch"})
		for _, day := range []string{"2026-03-01", "2026-03-02", "2026-03-03"} {
			seed.Interview(t, client, apitest.Fields{"campaign_id": campaign, "created_at": apitest.At(day)})
		}
		seed.SynthesisDocument(t, client, nil)
		seed.PortalDocument(t, client, nil)
	}
	return srv, seed
}

// withKey puts a proxy before the server that adds a key, for tools that cannot.
func withKey(t *testing.T, srv *apitest.Server, key string) string {
	t.Helper()
	target, err := url.Parse(srv.URL)
	require.NoError(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host // Host and Origin stay as they came
		r.Out.Header.Set("Authorization", "Bearer "+key)
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL + endpoint
}

func fresh(t *testing.T, srv *apitest.Server, client string) string {
	t.Helper()
	return srv.Issue(t, apikey.Request{Client: client, Name: t.Name(), Scopes: auth.All()}).Key
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), into), text)
}

// rest is what REST answers to the same question.
func rest(t *testing.T, srv *apitest.Server, path, key string) map[string]json.RawMessage {
	t.Helper()
	var body map[string]json.RawMessage
	srv.Send(t, http.MethodGet, "/api/client/v1"+path, key, nil).WantStatus(t, http.StatusOK).Decode(t, &body)
	return body
}
