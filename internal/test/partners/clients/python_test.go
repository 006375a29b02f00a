//go:build partners && clientintel_testing

package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

func TestPython(t *testing.T) {
	programs := partnerserver.Python(t, "python/requirements.txt")
	python := filepath.Join(programs, "python")
	// The wheel, in a folder that stands before everything else.
	installed := t.TempDir()
	wheels, err := filepath.Glob(filepath.Join(dist(t), "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("wheels %v, %v", wheels, err)
	}
	run(t, installed, nil, python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", installed, wheels[0])
	srv, env := start(t)
	env = append(env, "PYTHONPATH="+installed, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))

	t.Run("types", func(t *testing.T) {
		run(t, published+"python", env, python, "-m", "mypy", "--strict", "--no-incremental", "clientintel")
	})
	t.Run("models are the contract's", func(t *testing.T) {
		made := filepath.Join(t.TempDir(), "models.py")
		run(t, "../../../..", env, "sh", published[len("../../../../"):]+"python/models.sh", made)
		got, want := read(t, made), read(t, published+"python/clientintel/models.py")
		if got != want {
			t.Error("models.py is not what models.sh makes of the contract: run it")
		}
	})
	t.Run("conformance", func(t *testing.T) {
		script, err := filepath.Abs("python/conformance.py")
		if err != nil {
			t.Fatal(err)
		}
		for mode, key := range brandKeys(t, srv) {
			printed := run(t, installed, append(env, "KEY="+key), python, "-W", "error", script)
			readsTheSame(t, printed, served(t, srv, brandKeys(t, srv)[mode]))
		}
	})
	t.Run("README", func(t *testing.T) {
		folder := t.TempDir()
		for i, b := range blocksOf(t, published+"python/README.md") {
			switch {
			case b.tag == "sh" && (strings.Contains(b.text, "pip install") || strings.Contains(b.text, "export ")):
			case b.tag == "sh":
				run(t, folder, env, "sh", "-ec", b.text)
			default:
				file := filepath.Join(folder, "block.py")
				if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
					t.Fatal(err)
				}
				if printed := run(t, folder, env, python, file); printed == "" {
					t.Errorf("block %d prints nothing:\n%s", i, b.text)
				}
			}
		}
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
