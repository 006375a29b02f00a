package partnerserver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/require"
)

// installing keeps two tests of one package from making the same environment.
var installing sync.Mutex

// Python makes the environment of a requirements file beside it, once for as
// long as the file stays the same, and returns the folder of its programs. The
// file has all packages and their hashes, and nothing is built from source: what
// a build needs is in no file.
func Python(t *testing.T, requirements string) string {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	wanted, err := os.ReadFile(requirements)
	require.NoError(t, err)
	dir, err := filepath.Abs(filepath.Join(filepath.Dir(requirements), ".venv"))
	require.NoError(t, err)
	programs := filepath.Join(dir, "bin")
	// Written last, so that half an environment is made again.
	stamp := filepath.Join(dir, "installed.txt")
	if installed, err := os.ReadFile(stamp); err == nil && string(installed) == string(wanted) {
		return programs
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	for _, command := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		{filepath.Join(programs, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
			"--require-hashes", "--only-binary", ":all:", "-r", requirements},
	} {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v (Python 3.11 or later with venv is needed): %v\n%s", command, err, output)
		}
	}
	if err := os.WriteFile(stamp, wanted, 0o644); err != nil { //nolint:gosec // a test names the file
		t.Fatal(err)
	}
	return programs
}
