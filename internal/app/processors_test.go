package app

import "testing"

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
