//go:build partners

package monitoring_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

// Every manifest is what Kubernetes's schemas allow, and no more. The schema of a
// ServiceMonitor is the Prometheus Operator's: it is left out.
func TestManifests(t *testing.T) {
	t.Parallel()
	program := filepath.Join(partnerserver.Python(t, "requirements.txt"), "kubernetes-validate")
	for _, file := range []string{"clientintel.yaml", "migrate.yaml"} {
		cmd := exec.CommandContext(t.Context(), program, "--strict", filepath.Join("../../../../deploy/kubernetes", file))
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
	}
}

// Each rule can be read by Prometheus, and those with a test alert when they
// should and only then.
func TestAlerts(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"check", "rules", "prometheus-alerts.yaml"},
		{"test", "rules", "prometheus-alerts.test.yaml"},
	} {
		cmd := exec.CommandContext(t.Context(), "promtool", args...)
		cmd.Dir = "../../../../deploy"
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, text)
		}
	}
}
