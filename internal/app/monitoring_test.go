package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// newServer wires a server on a database of its own.
func newServer(t *testing.T, change func(*config.Server)) *app.Server {
	t.Helper()
	settings, err := config.FromEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	settings.Server.PoolSize = 2
	change(&settings.Server)
	server, err := app.NewServer(t.Context(), dbtest.New(t).ServerURL, settings.Server, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// ask sends one request through a handler.
func ask(t *testing.T, h http.Handler, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	res := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
	for name, values := range header {
		req.Header[name] = values
	}
	h.ServeHTTP(res, req)
	return res
}

var (
	exposed = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{([^}]*)\})? `)
	used    = regexp.MustCompile(`\b(?:clientintel|process|go)_[a-z_]+\b`)
	by      = regexp.MustCompile(`by \(([a-z, ]+)\)`)
	label   = regexp.MustCompile(`([a-z]+)="`)
)

// What the dashboard, the alerts and their page name is what /metrics shows, and
// the page explains each metric of ours.
func TestMonitoring_NamesExistingMetrics(t *testing.T) {
	t.Parallel()
	server := newServer(t, func(*config.Server) {})
	defer server.Close()
	ask(t, server.Handler, "/api/client/v1/openapi.json", nil)
	metrics := ask(t, server.OpsHandler, "/metrics", nil).Body.String()
	names, labels := map[string]bool{}, map[string]bool{"instance": true, "job": true}
	for _, m := range exposed.FindAllStringSubmatch(metrics, -1) {
		names[m[1]] = true
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			labels[l[1]] = true
		}
	}
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if base := regexp.MustCompile(`_bucket$|_sum$`).ReplaceAllString(name, "_count"); strings.HasPrefix(name, "clientintel_") &&
			!strings.Contains(string(page), "`"+base+"`") {
			t.Errorf("docs/operations.md does not explain %s", name)
		}
	}
	for _, file := range []string{
		"deploy/grafana-dashboard.json", "deploy/prometheus-alerts.yaml", "deploy/prometheus-alerts.test.yaml", "docs/operations.md",
	} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		found := used.FindAllString(string(text), -1)
		if len(found) < 5 {
			t.Errorf("%s names %d metrics", file, len(found))
		}
		for _, name := range found {
			if !names[name] {
				t.Errorf("%s names %s, which /metrics does not show", file, name)
			}
		}
		for _, m := range by.FindAllStringSubmatch(string(text), -1) {
			for _, l := range strings.Split(m[1], ", ") {
				if !labels[l] {
					t.Errorf("%s groups by %s, a label that no metric has", file, l)
				}
			}
		}
	}
}

// Both files are whole: what reads them says little when they are not.
func TestMonitoring_FilesAreComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil || len(board.Panels) == 0 {
		t.Fatalf("the dashboard: %v", err)
	}
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] || p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q is not whole, or not the only one of its id", p.ID, p.Title)
		}
		ids[p.ID] = true
	}
	text, err = os.ReadFile("../../deploy/prometheus-alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &alerts); err != nil || len(alerts.Groups) != 2 {
		t.Fatalf("the alerts: %v", err)
	}
	for _, r := range alerts.Groups[1].Rules { // the first ones are ratios
		if r.Alert == "" || r.Expr == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("the rule %+v is not whole", r)
		}
	}
}

// Of requests that succeed one in so many is logged, and each one that is refused.
func TestServer_LogsOneInSoMany(t *testing.T) {
	t.Parallel()
	settings, err := config.FromEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	settings.Server.PoolSize, settings.Server.LogOneIn = 2, 3
	var log bytes.Buffer
	server, err := app.NewServer(t.Context(), dbtest.New(t).ServerURL, settings.Server, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for range 9 {
		ask(t, server.Handler, "/api/client/v1/openapi.json", nil)
		ask(t, server.Handler, "/nowhere", nil)
	}
	if ok, refused := strings.Count(log.String(), "status=200"), strings.Count(log.String(), "status=404"); ok != 3 || refused != 9 {
		t.Errorf("%d of 9 that succeeded are logged and %d of 9 that were refused, want 3 and 9", ok, refused)
	}
}
