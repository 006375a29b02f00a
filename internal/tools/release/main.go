// Command release builds what a release consists of: reproducible static binaries, the
// clients' packages, a bill of materials of each binary, licences and checksums. With
// -check it builds twice more in other directories, and compares.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	out := flag.String("out", "dist", "the directory to write, made anew")
	check := flag.Bool("check", false, "build twice more, in other directories and with an empty cache, and compare")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := release(ctx, *out, *check)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// target is a platform that binaries are made for.
type target struct{ system, machine string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}}

// binary is the target's file. The version is inside, not in the name: what installs it
// need not know it.
func (t target) binary() string { return "clientintel-" + t.system + "-" + t.machine }

func release(ctx context.Context, out string, check bool) error {
	version, err := repositoryVersion(ctx)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	built, err := buildAll(ctx, ".", out, version)
	if err != nil {
		return err
	}
	files := slices.Clone(built)
	var binaries []string
	for _, t := range targets {
		path := filepath.Join(out, t.binary())
		if err := writeBill(ctx, path, version); err != nil {
			return err
		}
		binaries, files = append(binaries, path), append(files, t.binary()+".cdx.json")
	}
	notices, err := noticesOf(ctx, binaries)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, noticesFile), notices, 0o644); err != nil {
		return err
	}
	sums, err := sumsOf(out, append(files, noticesFile))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums), 0o644); err != nil {
		return err
	}
	fmt.Printf("clientintel %s\n%s", version, sums)
	if !check {
		return nil
	}
	return compare(ctx, out, version, built)
}

// buildAll builds binaries and clients out of a source tree, and returns their names.
func buildAll(ctx context.Context, source, out, version string, environment ...string) ([]string, error) {
	var names []string
	for _, t := range targets {
		if err := build(ctx, source, out, version, t, environment...); err != nil {
			return nil, err
		}
		names = append(names, t.binary())
	}
	clients, err := copyClients(source, out)
	return append(names, clients...), err
}

// copyClients takes the packages that the binaries serve, and returns their names.
func copyClients(source, out string) ([]string, error) {
	const module = "go/github.com/clientintel/clientintel/openapi/clients/go/@v/v"
	var names []string
	for _, pattern := range []string{"*.whl", "*.tgz", module + "*.zip"} {
		found, err := filepath.Glob(filepath.Join(source, "openapi/generated/clients", pattern))
		if err != nil || len(found) != 1 {
			return nil, errors.Join(err, fmt.Errorf("one package must match %s, not %v", pattern, found))
		}
		content, err := os.ReadFile(found[0])
		if err != nil {
			return nil, err
		}
		name := filepath.Base(found[0])
		if version, isModule := strings.CutPrefix(name, "v"); isModule {
			name = "clientintel-go-" + version
		}
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil { //nolint:gosec // its name is of this repository
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// build makes one binary out of a source tree. Nothing of this machine may decide what
// comes out: not its paths, its settings or its C compiler.
func build(ctx context.Context, source, out, version string, t target, environment ...string) error {
	// The tag is make build's.
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "grpcnotrace", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X github.com/clientintel/clientintel/internal/app.Version="+version,
		"-o", filepath.Join(out, t.binary()), "./cmd/clientintel")
	cmd.Dir = source
	cmd.Env = append(os.Environ(),
		"CGO_ENABLED=0", "GOOS="+t.system, "GOARCH="+t.machine, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=", "GODEBUG=", "GOFIPS140=off", "GOTOOLCHAIN=local")
	cmd.Env = append(cmd.Env, environment...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building %s: %w", t.binary(), err)
	}
	return nil
}

// writeBill writes what a binary consists of, as the linker noted it in the binary itself:
// no list of what was meant to go in. What it embeds is added.
func writeBill(ctx context.Context, path, version string) error {
	_, err := goLines(ctx, "tool", "-modfile=.ci/tools/go.mod", "cyclonedx-gomod", "bin", "-json", "-output-version", "1.5",
		"-noserial", "-notimestamp", "-std", "-version", version, "-output", path+".cdx.json", path)
	if err != nil {
		return err
	}
	return addChartLibrary(path + ".cdx.json")
}

// compare builds everything twice more, from copies of the tracked files in directories of
// other names and depths, the second time with an empty cache.
func compare(ctx context.Context, out, version string, names []string) error {
	scratch, err := os.MkdirTemp("", "clientintel-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	want, err := sumsOf(out, names)
	if err != nil {
		return err
	}
	for name, environment := range map[string][]string{"a": nil, "another/and deeper": {"GOCACHE=" + filepath.Join(scratch, "cache")}} {
		source := filepath.Join(scratch, name)
		if err := os.MkdirAll(source, 0o755); err != nil {
			return err
		}
		copied, err := exec.CommandContext(ctx, "sh", "-c", `git ls-files -z | xargs -0 cp --parents -t "$0"`, source).CombinedOutput()
		if err != nil {
			return fmt.Errorf("copying the tracked files: %w: %s", err, copied)
		}
		if _, err := buildAll(ctx, source, source, version, environment...); err != nil {
			return err
		}
		got, err := sumsOf(source, names)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("the build is not reproducible: in %q it gives\n%s", name, got)
		}
	}
	fmt.Println("built twice more elsewhere: the same")
	return nil
}

// sumsOf is a line for each file, as sha256sum writes it.
func sumsOf(folder string, names []string) (string, error) {
	var sums strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
	}
	return sums.String(), nil
}
