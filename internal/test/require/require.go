// Package require ends tests that cannot go on.
package require

import "testing"

// NoError ends the test with an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
