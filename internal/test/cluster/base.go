//go:build linux

package cluster

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Base is what everything starts from: the program, and an empty cluster with
// the schema to copy.
type Base struct {
	// Program is the path of the built clientintel.
	Program string

	dir    string
	data   string // of the cluster to copy
	copies atomic.Int64
}

// Prepare builds the program, with the race detector if asked to, and makes the
// cluster. Directories of processes that are gone are cleared away first. Close
// removes ours.
func Prepare(ctx context.Context, raced bool) (*Base, error) {
	b, err := PrepareClusters(ctx)
	if err != nil {
		return nil, err
	}
	b.Program = filepath.Join(b.dir, "clientintel")
	if err := b.build(ctx, raced); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// PrepareClusters is Prepare without the program.
func PrepareClusters(ctx context.Context) (*Base, error) {
	parent := filepath.Join(os.TempDir(), "clientintel-cluster-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	old, _ := os.ReadDir(parent)
	for _, entry := range old {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && syscall.Kill(pid, 0) != nil {
			_ = os.RemoveAll(filepath.Join(parent, entry.Name()))
		}
	}
	b := &Base{dir: filepath.Join(parent, strconv.Itoa(os.Getpid()))}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		return nil, err
	}
	if err := b.makeCluster(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// coverDir is where make cover collects what the program executes; empty otherwise.
// GOCOVERDIR itself is not what go test leaves to a test's processes.
func coverDir() string { return os.Getenv("CLIENTINTEL_COVER_DIR") }

// Close removes everything.
func (b *Base) Close() { _ = os.RemoveAll(b.dir) }

func (b *Base) build(ctx context.Context, raced bool) error {
	args := []string{"build", "-o", b.Program}
	if raced {
		args = append(args, "-race")
	}
	// make cover counts what the program executes too.
	if coverDir() != "" {
		args = append(args, "-cover", "-covermode=atomic", "-coverpkg=github.com/clientintel/clientintel/...")
	}
	build := exec.CommandContext(ctx, "go", append(args, "github.com/clientintel/clientintel/cmd/clientintel")...)
	var out bytes.Buffer
	build.Stdout, build.Stderr = &out, &out
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the program: %w: %s", err, out.String())
	}
	return nil
}

func (b *Base) makeCluster(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	home := filepath.Join(b.dir, "base")
	cluster, err := embedded.Open(ctx, embedded.Options{
		Dir: home, Log: slog.New(slog.DiscardHandler), Settings: map[string]string{"fsync": "off"},
	})
	if err != nil {
		return err
	}
	if _, err := postgres.Migrate(ctx, cluster.OwnerURL()); err != nil {
		_ = cluster.Close(ctx)
		return err
	}
	if err := cluster.Close(ctx); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(home, "pg*", "data"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("looking for the cluster in %s: found %v", home, found)
	}
	b.data = found[0]
	return nil
}

// ProgramOf builds the program of another commit in dir; what it returns runs it on
// the clusters of b.
func (b *Base) ProgramOf(ctx context.Context, commit, dir string) (*Base, error) {
	other := &Base{Program: filepath.Join(dir, "clientintel"), dir: b.dir, data: b.data}
	script := `set -e; root=$(git rev-parse --show-toplevel); mkdir "$2/source"; git -C "$root" archive "$1" | tar -x -C "$2/source"
cd "$2/source"; CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$2/clientintel" ./cmd/clientintel`
	if out, err := exec.CommandContext(ctx, "bash", "-c", script, "build", commit, dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the program of %s: %w: %s", commit, err, out)
	}
	return other, nil
}

// postgresProgram is what ran the cluster: it notes that itself.
func (b *Base) postgresProgram() (string, error) {
	opts, err := os.ReadFile(filepath.Join(b.data, "postmaster.opts"))
	if err != nil {
		return "", err
	}
	program, _, _ := strings.Cut(string(opts), " ")
	return program, nil
}
