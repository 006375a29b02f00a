package app

import (
	"runtime"
	"testing"
)

// The server uses half of the processors beside a database on its machine.
func TestShareProcessors(t *testing.T) { //nolint:paralleltest // it sets the process's processors
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	restore := ShareProcessors("postgres://u@localhost/d")
	if got := runtime.GOMAXPROCS(0); got != 2 {
		t.Errorf("%d processors, want 2", got)
	}
	if restore(); runtime.GOMAXPROCS(0) != 4 {
		t.Errorf("%d processors are restored, want 4", runtime.GOMAXPROCS(0))
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
