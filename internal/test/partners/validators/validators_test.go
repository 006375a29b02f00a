//go:build partners

package validators_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/npm"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

// packages are the validators of package-lock.json.
var packages = &npm.Folder{Path: "."}

// documents are the contract in both versions of OpenAPI, as served.
var documents = map[string]string{"3.1": partnerserver.Base + "/openapi.json", "3.0": "/docs/openapi-3.0.json"}

func start(t *testing.T) (*apitest.Server, string) {
	t.Helper()
	srv, seed := apitest.Start(t)
	campaign := seed.Campaign(t, "globex", apitest.Fields{"slug": "winter-launch"})
	for range 3 {
		seed.Interview(t, "globex", apitest.Fields{"campaign_id": campaign})
		seed.Interview(t, "globex", apitest.Fields{"nps_score": nil, "best_quote": nil})
		seed.SynthesisDocument(t, "globex", nil)
		seed.PortalDocument(t, "globex", nil)
	}
	return srv, srv.KeyFor(t, "globex", auth.All()...)
}

// save writes a served document to a file, changed where replace is given.
func save(t *testing.T, srv *apitest.Server, path string, replace ...string) string {
	t.Helper()
	served := string(srv.Get(t, path, "").WantStatus(t, http.StatusOK).Body)
	changed := strings.NewReplacer(replace...).Replace(served)
	if len(replace) > 0 && changed == served {
		t.Fatalf("%s has no %s", path, replace[0])
	}
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A proxy that refuses what breaks the contract lets a whole walk through; with a contract
// that says otherwise it does not.
func TestPrism_AWalkFitsTheContract(t *testing.T) {
	srv, key := start(t)
	for version, path := range documents {
		walk(t, prism(t, save(t, srv, path), srv.URL), key, version, http.StatusOK)
	}
	broken := save(t, srv, documents["3.1"], `"enum": [
          "legacy",
          "canonical"
        ]`, `"enum": [
          "neither"
        ]`)
	walk(t, prism(t, broken, srv.URL), key, "broken", http.StatusInternalServerError)
}

// walk reads every list to its end, a detail, analytics and search through the proxy.
func walk(t *testing.T, proxy, key, name string, status int) {
	t.Helper()
	through := func(path string) map[string]any {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy+partnerserver.Base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var answer map[string]any
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != status {
			t.Fatalf("%s: %s: status %d, want %d: %v (%v)", name, path, res.StatusCode, status, answer, err)
		}
		return answer
	}
	pages := 0
	for _, path := range []string{
		"/interviews?limit=2", "/campaigns?limit=2", "/synthesis?limit=2", "/synthesis?limit=2&surface=portal",
		"/analytics/interviews?date_from=2026-01-01&date_to=2026-12-31", "/intelligence/search?q=late",
	} {
		for after := ""; ; pages++ {
			answer := through(path + after)
			if status != http.StatusOK {
				return
			}
			if rows, isList := answer["data"].([]any); isList && path == "/interviews?limit=2" {
				through("/interviews/" + rows[0].(map[string]any)["id"].(string))
			}
			meta := answer["meta"].(map[string]any)
			if meta["has_more"] != true {
				break
			}
			after = "&starting_after=" + meta["next_cursor"].(string)
		}
	}
	if pages < 4 {
		t.Errorf("%s: the walk has %d further pages only", name, pages)
	}
}

// prism starts the proxy and returns its address.
func prism(t *testing.T, contract, upstream string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	_ = listener.Close()
	proxy := exec.CommandContext(t.Context(), packages.Node(t), "node_modules/@stoplight/prism-cli/dist/index.js", "proxy", contract, upstream,
		"--errors", "--host", "127.0.0.1", "--port", address.AddrPort().String()[len("127.0.0.1:"):])
	var out bytes.Buffer
	proxy.Stdout, proxy.Stderr = &out, &out
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { _ = proxy.Wait(); close(exited) }()
	t.Cleanup(func() { _ = proxy.Process.Kill(); <-exited })
	for {
		if connection, err := net.Dial("tcp", address.String()); err == nil {
			_ = connection.Close()
			return "http://" + address.String()
		}
		select {
		case <-exited:
			t.Fatalf("prism ended: %s", out.String())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Every example fits its schema; one that does not is found.
func TestExamples(t *testing.T) {
	srv, _ := start(t)
	const program = "node_modules/openapi-examples-validator/dist/cli.js"
	for version, path := range documents {
		if out, errs, exit := packages.Run(t, program, save(t, srv, path)); exit != 0 || !strings.Contains(out, "No errors found") {
			t.Errorf("%s: exit %d: %s%s", version, exit, out, errs)
		}
	}
	if out, _, exit := packages.Run(t, program, save(t, srv, documents["3.1"], `"duration_seconds": 412`, `"duration_seconds": "412"`)); exit == 0 {
		t.Errorf("a wrong example is not found: %s", out)
	}
}

// Whoever has an implementation of RFC 8785 computes the scope hashes that answers carry.
func TestScopeHashes_AreThoseOfOtherLibraries(t *testing.T) {
	srv, key := start(t)
	var hashes []string
	var scopes []map[string]any
	for _, c := range []struct {
		route   string
		filters map[string]string
	}{
		{"/interviews", map[string]string{}},
		{"/interviews", map[string]string{"status": "é\u2028\"\\/<&>\x01\x7f 😀", "date_from": "2026-01-01T00:00:00+02:00", "campaign_id": "\ufb33"}},
		{"/analytics/interviews", map[string]string{"campaign": "winter-launch", "date_to": "2026-12-31"}},
		{"/intelligence/search", map[string]string{"q": "Straße\t", "limit": "7"}},
	} {
		query := url.Values{}
		for name, value := range c.filters {
			query.Set(name, value)
		}
		var answer struct {
			Meta struct {
				ClientID string `json:"client_id"`
				Basis    struct {
					ScopeHash string `json:"scope_hash"`
				} `json:"measurement_basis"`
			}
		}
		srv.Get(t, partnerserver.Base+c.route+"?"+query.Encode(), key).WantStatus(t, http.StatusOK).Decode(t, &answer)
		hashes = append(hashes, answer.Meta.Basis.ScopeHash)
		scopes = append(scopes, map[string]any{"client_id": answer.Meta.ClientID, "filters": c.filters, "route": c.route})
	}
	text, err := json.Marshal(scopes)
	if err != nil {
		t.Fatal(err)
	}
	python := exec.CommandContext(t.Context(), filepath.Join(partnerserver.Python(t, "requirements.txt"), "python"), "scopes.py")
	python.Stdin = bytes.NewReader(text)
	out, err := python.Output()
	var made [][]string
	if err != nil || json.Unmarshal(out, &made) != nil || len(made) != len(hashes) {
		t.Fatalf("%v: %s", err, out)
	}
	for i, hash := range hashes {
		if hash == "" || made[i][0] != hash || made[i][1] != hash {
			t.Errorf("%v: the service says %s, rfc8785 and jcs say %v", scopes[i], hash, made[i])
		}
	}
}
