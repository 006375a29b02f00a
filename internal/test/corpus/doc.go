// Package corpus generates import files with as many rows as a test or a benchmark asks for,
// in constant memory. The same arguments give the same bytes.
package corpus
