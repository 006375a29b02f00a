//go:build partners && clientintel_testing

package sdks_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/require"
)

// tour is the environment that a client is made and run in.
type tour struct{ env []string }

// run runs a program in a folder and returns all that it printed.
func (r tour) run(t *testing.T, folder, name string, args ...string) (stdout, everything string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	all := &shared{}
	command.Dir, command.Env = folder, r.env
	command.Stdout, command.Stderr = io.MultiWriter(&out, all), all
	require.NoError(t, command.Run(), name, strings.Join(args, " "), all.String())
	return out.String(), all.String()
}

// shared takes what a program prints on both its outputs.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string { return s.text.String() }

// explained fails on a warning that no line of the folder's warnings.txt
// explains, and on an explanation that nothing needs any more. A line there is
// part of a warning, " # ", and the reason.
func explained(t *testing.T, folder, output string) {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, "warnings.txt"))
	require.NoError(t, err)
	defer file.Close()
	var known, used []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if part, reason, found := strings.Cut(lines.Text(), " # "); found && strings.TrimSpace(reason) != "" {
			known = append(known, part)
		}
	}
	for _, line := range strings.Split(output, "\n") {
		lower := strings.ToLower(line)
		if strings.Contains(line, "[INFO]") || !strings.Contains(lower, "warn") && !strings.Contains(lower, "error") && !strings.Contains(lower, "deprecat") {
			continue
		}
		at := slices.IndexFunc(known, func(part string) bool { return strings.Contains(line, part) })
		if at < 0 {
			t.Errorf("unexplained: %s", line)
			continue
		}
		used = append(used, known[at])
	}
	for _, part := range known {
		if !slices.Contains(used, part) {
			t.Errorf("%s explains what nobody says: %s", file.Name(), part)
		}
	}
}

// copied copies files of a folder to where a client is built.
func copied(t *testing.T, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(from, name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(to, name), text, 0o600))
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	require.NoError(t, err)
	return full
}
