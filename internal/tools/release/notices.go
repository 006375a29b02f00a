package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const noticesFile = "THIRD_PARTY_NOTICES"

// licenceNames begin the names of the files that a module's licence asks to pass on.
var licenceNames = []string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}

// noticesOf holds the licences of Go and of every module that these binaries consist of.
// The modules' files are those of Go's cache, which go.sum has the hashes of.
func noticesOf(ctx context.Context, binaries []string) ([]byte, error) {
	modules := map[string]bool{}
	for _, path := range binaries {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading what %s consists of: %w", filepath.Base(path), err)
		}
		for _, dep := range info.Deps {
			modules[dep.Path] = true
		}
	}
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}\t{{.Dir}}"}
	for module := range modules {
		args = append(args, module)
	}
	parts, err := goLines(ctx, args...)
	if err != nil {
		return nil, err
	}
	slices.Sort(parts)
	toolchain, err := goLines(ctx, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	parts = slices.Insert(parts, 0, "Go "+strings.Join(toolchain, "\t"))
	var out bytes.Buffer
	out.WriteString("The programs of clientintel consist of these parts too, under these licences.\n")
	for _, part := range parts {
		name, dir, _ := strings.Cut(part, "\t")
		if err := writeLicences(&out, name, dir); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// goLines are what the go command prints.
func goLines(ctx context.Context, args ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

func writeLicences(out *bytes.Buffer, module, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("looking for the licence of %s: %w", module, err)
	}
	found := false
	for _, file := range files {
		isLicence := func(name string) bool { return strings.HasPrefix(strings.ToUpper(file.Name()), name) }
		if file.IsDir() || !slices.ContainsFunc(licenceNames, isLicence) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return fmt.Errorf("reading the licence of %s: %w", module, err)
		}
		fmt.Fprintf(out, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("-", 80), module, file.Name(), bytes.TrimSpace(text))
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no file of its licence", module)
	}
	return nil
}
