//go:build !linux

package dbtest

import "testing"

func newDistributed(t testing.TB) *Database {
	t.Helper()
	t.Fatal("the machines of a distributed database are started on Linux only")
	return nil
}
