package app

import (
	"runtime/debug"
	"testing"
)

// Garbage is collected before it takes more memory than the limit, unless the
// operator sets another one.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Setenv("GOMEMLIMIT", "")
	undo := LimitMemory()
	if got := debug.SetMemoryLimit(-1); got != memoryLimit {
		t.Errorf("the limit is %d, want %d", got, memoryLimit)
	}
	undo()
	t.Setenv("GOMEMLIMIT", "1GiB")
	LimitMemory()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("with GOMEMLIMIT the limit becomes %d, want %d", got, before)
	}
}

func TestOnThisMachine(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"postgres://u@/d?host=/var/run/postgresql": true,
		"postgres://u@localhost:5432/d":            true,
		"postgres://u@127.0.0.1/d":                 true,
		"postgres://u@[::1]:5433/d":                true,
		"postgres://u@10.0.0.7/d":                  false,
		"postgres://u@db.example.com/d":            false,
		"not a URL":                                false,
	} {
		if got := onThisMachine(url); got != want {
			t.Errorf("%q is on this machine: %v, want %v", url, got, want)
		}
	}
}
