//go:build !(linux || darwin || freebsd)

package embedded

import (
	"context"
	"errors"
	"runtime"
)

// Cluster is not available on this system.
type Cluster struct{}

// Open fails: there are no Unix sockets and file locks to rely on.
func Open(context.Context, Options) (*Cluster, error) {
	return nil, errors.New("embedded PostgreSQL: not available on " + runtime.GOOS + ": set DATABASE_URL to a PostgreSQL 15 or later")
}

// Upgrade fails as Open does.
func Upgrade(ctx context.Context, o Options, _ int, _ func(ctx context.Context, from, to *Cluster) error) (string, error) {
	_, err := Open(ctx, o)
	return "", err
}

// Attached is false.
func (*Cluster) Attached() bool { return false }

// OwnerURL is empty.
func (*Cluster) OwnerURL() string { return "" }

// ServerURL is empty.
func (*Cluster) ServerURL() string { return "" }

// URL is empty.
func (*Cluster) URL(_, _ string) string { return "" }

// Close has nothing to do.
func (*Cluster) Close(context.Context) error { return nil }
