package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// outcome is the result of a mutant's run.
type outcome string

const (
	killed         outcome = "killed"
	survived       outcome = "SURVIVED"
	doesNotApply   outcome = "DOES NOT APPLY"
	doesNotCompile outcome = "NOT COMPILED"
	noTest         outcome = "NO SUCH TEST"
)

// testTimeout ends a test that waits for what a mutant took away.
const testTimeout = 5 * time.Minute

// tree is a copy of the working tree, uncommitted changes included. SQL is
// embedded and read from files, so that an overlay of Go files would not do.
type tree struct {
	dir string
	// history is the repository's, from which a test builds the release before.
	history string
}

// copyTree copies to a path that is the same each time, which keeps go's build cache useful.
func copyTree(ctx context.Context) (*tree, error) {
	history, err := exec.CommandContext(ctx, "git", "rev-parse", "--absolute-git-dir").Output()
	if err != nil {
		return nil, fmt.Errorf("finding the repository: %w", err)
	}
	t := &tree{filepath.Join(os.TempDir(), "clientintel-mutants-"+strconv.Itoa(os.Getuid())), strings.TrimSpace(string(history))}
	if err := os.Mkdir(t.dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w: is another call under way? remove what one left", err)
	}
	list, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.remove()
		return nil, fmt.Errorf("listing files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if err := copyFile(name, filepath.Join(t.dir, name)); err != nil && !os.IsNotExist(err) {
			t.remove()
			return nil, err
		}
	}
	return t, nil
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode()) //nolint:gosec // a copy of our own tree
}

func (t *tree) remove() { _ = os.RemoveAll(t.dir) }

// wantPassing runs every named test without a mutant: one that fails anyway kills
// nothing.
func (t *tree) wantPassing(ctx context.Context, all []mutant, out io.Writer) error {
	type suite struct{ pkg, tags string }
	runs, order := map[suite][]string{}, []suite{}
	for _, m := range all {
		s := suite{m.Package, m.Tags}
		if runs[s] == nil {
			order = append(order, s)
		}
		runs[s] = append(runs[s], m.Run)
	}
	for _, s := range order {
		fmt.Fprintf(out, "         unchanged: %s\n", s.pkg)
		if text, err := t.test(ctx, s.pkg, strings.Join(runs[s], "|"), s.tags); err != nil {
			return fmt.Errorf("%s fails without any mutant: %w\n%s", s.pkg, err, text)
		}
	}
	return ctx.Err()
}

// try makes the change, runs the test and takes the change back.
func (t *tree) try(ctx context.Context, m mutant) (outcome, error) {
	text, err := m.mutated(t.dir)
	if err != nil {
		return doesNotApply, nil //nolint:nilerr // the outcome reports it
	}
	path := filepath.Join(t.dir, m.File)
	original, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return "", err
	}
	printed, failure := t.test(ctx, m.Package, m.Run, m.Tags)
	if err := os.WriteFile(path, original, 0o644); err != nil { //nolint:gosec // a file of the copied tree
		return "", err
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case notBuilt.Match(printed):
		return doesNotCompile, nil
	case bytes.Contains(printed, []byte("[no tests to run]")):
		return noTest, nil
	case failure == nil:
		return survived, nil
	default:
		return killed, nil
	}
}

var notBuilt = regexp.MustCompile(`\[(build|setup) failed\]`)

func (t *tree) test(ctx context.Context, pkg, run, tags string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", "test", "-count=1", "-failfast", "-timeout", testTimeout.String(),
		"-tags", tags, "-run", run, pkg)
	command.Dir = t.dir
	command.Env = append(os.Environ(), "GIT_DIR="+t.history)
	return command.CombinedOutput()
}
