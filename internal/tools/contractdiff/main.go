// Command contractdiff compares the contract with the one released last, which is in
// openapi/released. It fails if a client made for that one could break, unless the major
// number of info.version is higher. oasdiff and openapi/released/severity.txt define
// which changes are breaking.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/semver"
)

// oasdiff is pinned: another version may know other changes.
const oasdiff = "github.com/oasdiff/oasdiff@v1.33.0"

const (
	contract = "openapi/openapi.yaml"
	released = "openapi/released"
)

func main() {
	if err := run(context.Background(), contract, released, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "contractdiff:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, contract, released string, out io.Writer) error {
	base, from, err := lastReleased(released)
	if err != nil {
		return err
	}
	to, err := versionOf(contract)
	if err != nil {
		return err
	}
	if semver.Compare(to, from) < 0 {
		return fmt.Errorf("info.version %s is lower than the last released %s", to, from)
	}
	changes, err := breaking(ctx, base, contract, filepath.Join(released, "severity.txt"))
	if err != nil {
		return err
	}
	for _, c := range changes {
		fmt.Fprintf(out, "%s %s: %s [%s]\n", c.Operation, c.Path, c.Text, c.ID)
	}
	switch {
	case len(changes) == 0:
		fmt.Fprintf(out, "contract %s breaks no client of %s\n", to, from)
	case semver.Major(to) != semver.Major(from):
		fmt.Fprintf(out, "contract %s breaks clients of %s, and its version says so\n", to, from)
	default:
		return fmt.Errorf("%d breaking changes since %s: take them back, or raise the major number of info.version", len(changes), from)
	}
	return nil
}

// change is one that a client may notice.
type change struct {
	ID, Text, Operation, Path string
}

// breaking lists the changes from base to revision that are warnings or errors
// to oasdiff. Its exit status is of no use: go run has one for everything.
func breaking(ctx context.Context, base, revision, severity string) ([]change, error) {
	var output, complaints bytes.Buffer
	command := exec.CommandContext(ctx, "go", "run", oasdiff, "breaking",
		"--severity-levels", severity, "--format", "json", base, revision)
	command.Stdout, command.Stderr = &output, &complaints
	if err := command.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("running oasdiff: %w", err), errors.New(complaints.String()))
	}
	var changes []change
	if err := json.Unmarshal(output.Bytes(), &changes); err != nil {
		return nil, fmt.Errorf("reading what oasdiff says, %q: %w", output.String(), err)
	}
	return changes, nil
}

// lastReleased is the contract of the highest version in a folder, and that version.
func lastReleased(folder string) (last, highest string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return "", "", err
	}
	for _, file := range files {
		v, err := versionOf(file)
		if err != nil {
			return "", "", err
		}
		if name := v[1:] + ".yaml"; filepath.Base(file) != name {
			return "", "", fmt.Errorf("%s has version %s: its name must be %s", file, v, name)
		}
		if last == "" || semver.Compare(v, highest) > 0 {
			last, highest = file, v
		}
	}
	if last == "" {
		return "", "", fmt.Errorf("%s has no released contract", folder)
	}
	return last, highest, nil
}

// versionOf is the contract's, with a v before it.
func versionOf(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var document struct {
		Info struct{ Version string }
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	v := "v" + document.Info.Version
	if semver.Canonical(v) != v || semver.Prerelease(v) != "" {
		return "", fmt.Errorf("info.version of %s, %q, is not MAJOR.MINOR.PATCH", file, document.Info.Version)
	}
	return v, nil
}
