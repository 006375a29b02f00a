//go:build linux && race

package faults

// raced builds the program like its tests.
const raced = true
