//go:build linux && !race

package resilience

// raced builds the program like its tests.
const raced = false
