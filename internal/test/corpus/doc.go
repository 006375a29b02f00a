// Package corpus generates import files of any size, for tests and benchmarks.
package corpus
