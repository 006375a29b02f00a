//go:build linux

package cluster

import (
	"context"
	"errors"
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
	"github.com/clientintel/clientintel/sql/migrations"
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
	b, err := newBase()
	if err != nil {
		return nil, err
	}
	b.Program = filepath.Join(b.dir, "clientintel")
	if err = b.build(ctx, raced); err == nil {
		err = b.makeCluster(ctx)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// PrepareClusters is Prepare without the program.
func PrepareClusters(ctx context.Context) (*Base, error) {
	b, err := newBase()
	if err != nil {
		return nil, err
	}
	if err := b.makeCluster(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func newBase() (*Base, error) {
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
	return b, os.Mkdir(b.dir, 0o755)
}

// Close removes everything.
func (b *Base) Close() { _ = os.RemoveAll(b.dir) }

// build makes the program as it is released, or with the race detector.
func (b *Base) build(ctx context.Context, raced bool) error {
	args := []string{"build", "-o", b.Program, "-tags", "grpcnotrace", "-trimpath", "-buildvcs=false"}
	environment := append(os.Environ(), "CGO_ENABLED=0")
	if raced {
		args, environment = append(args, "-race"), nil
	}
	build := exec.CommandContext(ctx, "go", append(args, "github.com/clientintel/clientintel/cmd/clientintel")...)
	build.Env = environment
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the program: %w: %s", err, out)
	}
	return nil
}

func (b *Base) makeCluster(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	home := filepath.Join(b.dir, "base")
	cluster, err := embedded.Open(ctx, embedded.Options{
		Dir: home, BinDir: os.Getenv("CLIENTINTEL_POSTGRES_BIN"), Log: slog.New(slog.DiscardHandler), Settings: map[string]string{"fsync": "off"},
	})
	if err != nil {
		return err
	}
	if b.Program == "" {
		_, err = postgres.Migrate(ctx, cluster.OwnerURL(), migrations.Files, slog.New(slog.DiscardHandler))
	} else {
		_, err = b.Run(cluster.OwnerURL(), "", "migrate")
	}
	if err := errors.Join(err, cluster.Close(ctx)); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(home, "pg*", "data"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("looking for the cluster in %s: found %v", home, found)
	}
	b.data = found[0]
	return nil
}

// Of is the base of another commit: its program, and a cluster with its schema. It
// is removed with b.
func (b *Base) Of(ctx context.Context, commit string) (*Base, error) {
	other := &Base{dir: filepath.Join(b.dir, commit)}
	other.Program = filepath.Join(other.dir, "clientintel")
	script := `set -e; git=$(git rev-parse --absolute-git-dir)
git --git-dir="$git" merge-base --is-ancestor "$1" HEAD || {
	echo "the commit is not in this clone's history: a shallow clone needs 'git fetch --unshallow'"; exit 1; }
mkdir -p "$2/source"; cd "$2/source"; git --git-dir="$git" archive "$1" | tar -x
CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$2/clientintel" ./cmd/clientintel`
	if out, err := exec.CommandContext(ctx, "bash", "-c", script, "build", commit, other.dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the program of %s: %w: %s", commit, err, out)
	}
	return other, other.makeCluster(ctx)
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
