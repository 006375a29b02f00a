//go:build partners && clientintel_testing

package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The module as it is packed, in a program outside the repository. Its walks are
// tested beside it, and what it decodes in the matrix of generated clients.
func TestGo(t *testing.T) {
	_, env := start(t)
	folder := t.TempDir()
	packed, err := filepath.Glob(filepath.Join(dist(t), "clientintel-go-*.zip"))
	if err != nil || len(packed) != 1 {
		t.Fatalf("modules %v, %v", packed, err)
	}
	if err := os.Symlink(packed[0], filepath.Join(folder, filepath.Base(packed[0]))); err != nil {
		t.Fatal(err)
	}
	run(t, folder, env, "go", "mod", "init", "reader")
	for _, b := range blocksOf(t, published+"go/README.md") {
		switch {
		case b.tag == "go":
			if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
		case strings.Contains(b.text, "unzip"):
			run(t, folder, env, "sh", "-ec", b.text)
		}
	}
	run(t, folder, env, "go", "mod", "tidy")
	if printed := run(t, folder, env, "go", "run", "."); !strings.Contains(printed, " of ") || strings.HasPrefix(printed, "0 of 0") {
		t.Errorf("it prints %q", printed)
	}
	if needed := run(t, folder, env, "go", "list", "-deps", "-f", "{{if .Module}}{{.Module.Path}}{{end}}", "."); strings.Contains(needed, "github.com/clientintel/clientintel\n") {
		t.Errorf("it needs the server's module:\n%s", needed)
	}
}
