// Command mutants breaks one promise after another in a copy of the tree, and runs the
// tests that must notice. It fails on a mutant that they do not kill.
//
//	go run ./internal/tools/mutants -only 'cursor|scope'
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	only := flag.String("only", "", "a regular expression that a mutant's promise, package, function or SQL matches")
	flag.Parse()
	err := run(ctx, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all, err := load()
	if err != nil {
		return err
	}
	dir, err := copyTree(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	unchanged := map[string]string{} // how tests end without a mutant
	bad := 0
	for _, m := range all {
		if !pattern.MatchString(m.Promise + " " + m.String()) {
			continue
		}
		began, tests := time.Now(), m.Tests+m.Package+m.Run
		if unchanged[tests] == "" {
			unchanged[tests] = outcome(test(ctx, dir, m))
		}
		how := "FAILS ANYWAY"
		if unchanged[tests] == survived {
			if how, err = try(ctx, dir, m); err != nil {
				return fmt.Errorf("%s: %w", m, err)
			}
		}
		if how != killed {
			bad++
		}
		fmt.Printf("%-12s %4.0fs  %s: %s\n", how, time.Since(began).Seconds(), m.Promise, m)
	}
	if bad > 0 {
		return fmt.Errorf("%d mutants were not killed", bad)
	}
	return nil
}

// copyTree copies the working tree, uncommitted changes included: tests read SQL from
// embedded files, from files, and from a program that they build. The path is always the
// same, so that Go's build cache keeps what was built there.
func copyTree(ctx context.Context) (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("clientintel-mutants-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("%w: is another call under way? Remove what one left", err)
	}
	out, err := exec.CommandContext(ctx, "sh", "-c",
		`git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$0"`, dir).CombinedOutput()
	if err != nil {
		_ = os.RemoveAll(dir)
		return "", fmt.Errorf("copying the tree: %w: %s", err, out)
	}
	return dir, nil
}

const killed, survived = "killed", "SURVIVED"

// outcome is how tests ended.
func outcome(out []byte, err error) string {
	switch {
	case regexp.MustCompile(`\[(build|setup) failed\]`).Match(out):
		return "NOT BUILT"
	case bytes.Contains(out, []byte("no tests to run")) || bytes.Contains(out, []byte("no test files")):
		return "NO TESTS"
	case err != nil:
		return killed
	}
	return survived
}

// try makes the change, runs the tests and takes the change back.
func try(ctx context.Context, dir string, m mutant) (string, error) {
	files, err := m.changed(dir)
	if err != nil {
		return "", err
	}
	for path, text := range files {
		original, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		defer os.WriteFile(path, original, 0o644) //nolint:errcheck // the copy is removed if it fails
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	how := outcome(test(ctx, dir, m))
	return how, ctx.Err()
}

func test(ctx context.Context, dir string, m mutant) ([]byte, error) {
	args := []string{"test", "-failfast", "-vet=off", "-timeout=5m", "-run=" + m.Run}
	command := exec.CommandContext(ctx, "go", append(args, strings.Fields(cmp.Or(m.Tests, "./"+m.Package))...)...)
	command.Dir = dir
	return command.CombinedOutput()
}
