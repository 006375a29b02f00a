// Package require ends tests that cannot go on.
package require

import "testing"

// NoError ends the test with an error, and with what it was about.
func NoError(t testing.TB, err error, about ...any) {
	t.Helper()
	if err == nil {
		return
	}
	for i, what := range about {
		if text, ok := what.([]byte); ok {
			about[i] = string(text)
		}
	}
	t.Fatal(append(about, err)...)
}
