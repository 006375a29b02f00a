package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	clients := flag.Bool("clients", false, "build the clients alone")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if *clients {
		_, err = buildClients(".", *out)
	} else {
		err = release(ctx, *out, *check)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// target is a platform that binaries are made for.
type target struct{ system, machine string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}}

// binary is the target's file. The version is inside, not in the name: what
// installs it need not know it.
func (t target) binary() string { return "clientintel-" + t.system + "-" + t.machine }

func release(ctx context.Context, out string, check bool) error {
	version, err := repositoryVersion(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	var made []string
	for _, t := range targets {
		if err := build(ctx, ".", out, version, t); err != nil {
			return err
		}
		bill, err := billOf(filepath.Join(out, t.binary()), version)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, t.binary()+".cdx.json"), bill, 0o644); err != nil {
			return err
		}
		made = append(made, t.binary(), t.binary()+".cdx.json")
	}
	var binaries []string
	for _, t := range targets {
		binaries = append(binaries, filepath.Join(out, t.binary()))
	}
	notices, err := noticesOf(ctx, binaries)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, noticesFile), notices, 0o644); err != nil {
		return err
	}
	made = append(made, noticesFile)
	clients, err := buildClients(".", out)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, name := range append(made, clients...) {
		sum, err := sumOf(filepath.Join(out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, name)
	}
	if err := os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644); err != nil {
		return err
	}
	fmt.Printf("clientintel %s\n%s", version, sums.String())
	if !check {
		return nil
	}
	return compare(ctx, out, version, clients)
}

// build makes one binary out of a source tree. Nothing of this machine may
// decide what comes out: not its paths, its settings or its C compiler.
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

// compare builds each binary and client twice more, from copies of the tracked files in
// directories of other names and depths, the second time with an empty cache.
func compare(ctx context.Context, out, version string, made []string) error {
	scratch, err := os.MkdirTemp("", "clientintel-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	differing := 0
	for _, place := range []struct{ source, cache string }{{"a", ""}, {"another/and deeper", filepath.Join(scratch, "cache")}} {
		source := filepath.Join(scratch, place.source)
		if err := copyTracked(ctx, source); err != nil {
			return err
		}
		var environment []string
		if place.cache != "" {
			environment = []string{"GOCACHE=" + place.cache}
		}
		names := slices.Clone(made)
		for _, t := range targets {
			if err := build(ctx, source, source, version, t, environment...); err != nil {
				return err
			}
			names = append(names, t.binary())
		}
		if _, err := buildClients(source, source); err != nil {
			return err
		}
		for _, name := range names {
			first, err := sumOf(filepath.Join(out, name))
			if err != nil {
				return err
			}
			again, err := sumOf(filepath.Join(source, name))
			if err != nil {
				return err
			}
			if first != again {
				fmt.Fprintf(os.Stderr, "%s: %s here and %s in %q\n", name, first, again, place.source)
				differing++
			}
		}
	}
	if differing > 0 {
		return errors.New("the build is not reproducible")
	}
	fmt.Println("built twice more elsewhere: the same")
	return nil
}

// copyTracked copies the files that git tracks, as they are now.
func copyTracked(ctx context.Context, to string) error {
	listed, err := git(ctx, "ls-files", "-z")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	copied, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer copied.Close()
	for name := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := copied.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := copied.WriteFile(name, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func sumOf(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}
