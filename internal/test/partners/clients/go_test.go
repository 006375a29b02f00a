//go:build partners && clientintel_testing

package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/require"
)

// The module as it is served, in a program outside the repository. Its walks are
// tested beside it, and what it decodes in the matrix of generated clients.
func TestGo(t *testing.T) {
	srv, env := start(t)
	folder := t.TempDir()
	env = append(env, "GOMODCACHE="+filepath.Join(folder, "cache"), "GOFLAGS=-modcacherw")
	run(t, folder, env, "go", "mod", "init", "reader")
	for _, b := range blocksOf(t, published+"go/README.md") {
		switch {
		case b.tag == "go":
			require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(b.text), 0o600))
		case strings.Contains(b.text, "go get"):
			// The third-party modules come from where this machine has them.
			line := strings.ReplaceAll(b.text, "https://clientintel.example.com", srv.URL)
			run(t, folder, env, "sh", "-ec", strings.ReplaceAll(line, "https://proxy.golang.org", "$(go env GOPROXY)"))
		}
	}
	if printed := run(t, folder, env, "go", "run", "."); !strings.Contains(printed, " of ") || strings.HasPrefix(printed, "0 of 0") {
		t.Errorf("it prints %q", printed)
	}
	if needed := run(t, folder, env, "go", "list", "-deps", "-f", "{{if .Module}}{{.Module.Path}}{{end}}", "."); strings.Contains(needed, "github.com/clientintel/clientintel\n") {
		t.Errorf("it needs the server's module:\n%s", needed)
	}
}
