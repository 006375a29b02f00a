package app_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
)

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
	server := newServer(t)
	ask(t, server.Handler, "/api/client/v1/openapi.json")
	metrics := ask(t, server.OpsHandler, "/metrics").Body.String()
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

// Of requests that succeed one in so many is logged, and each one that is refused.
func TestServer_LogsOneInSoMany(t *testing.T) {
	t.Parallel()
	server := newServer(t, func(s *config.Server) { s.LogOneIn = 3 })
	for range 9 {
		ask(t, server.Handler, "/api/client/v1/openapi.json")
		ask(t, server.Handler, "/nowhere")
	}
	if ok, refused := strings.Count(server.log.String(), "status=200"), strings.Count(server.log.String(), "status=404"); ok != 3 || refused != 9 {
		t.Errorf("%d of 9 that succeeded are logged and %d of 9 that were refused, want 3 and 9", ok, refused)
	}
}
