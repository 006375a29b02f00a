package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const noticesFile = "THIRD_PARTY_NOTICES"

// licenceName is that of a file that a module's licence asks to pass on.
var licenceName = regexp.MustCompile(`(?i)^(LICEN[SC]E|COPYING|NOTICE)`)

// noticesOf has the licences of Go and of every module that these binaries consist of, from
// Go's module cache.
func noticesOf(ctx context.Context, binaries []string) ([]byte, error) {
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}\t{{.Dir}}"}
	for _, path := range binaries {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading what %s consists of: %w", filepath.Base(path), err)
		}
		for _, dep := range info.Deps {
			args = append(args, dep.Path)
		}
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
	out := bytes.NewBufferString("The programs of clientintel consist of these parts too, under these licences.\n")
	for _, part := range append([]string{"Go " + strings.Join(toolchain, "\t")}, slices.Compact(parts)...) {
		module, dir, _ := strings.Cut(part, "\t")
		if err := writeLicences(out, module, dir); err != nil {
			return nil, err
		}
	}
	library, err := chartLibrary()
	if err != nil {
		return nil, err
	}
	err = writeLicence(out, library.Name+" "+library.Version, chartLicence)
	return out.Bytes(), err
}

// goLines are what the go command prints.
func goLines(ctx context.Context, args ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, complaints.Bytes())
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
		if file.IsDir() || !licenceName.MatchString(file.Name()) {
			continue
		}
		if err := writeLicence(out, module, filepath.Join(dir, file.Name())); err != nil {
			return err
		}
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no file of its licence", module)
	}
	return nil
}

func writeLicence(out *bytes.Buffer, part, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the licence of %s: %w", part, err)
	}
	fmt.Fprintf(out, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("-", 80), part, filepath.Base(path), bytes.TrimSpace(text))
	return nil
}
