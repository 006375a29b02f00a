// Package basis computes the hashes and ids that a measurement basis states of
// a scope and its interviews, and writes UUIDs and times as responses do. It is
// pure: verify uses it, and must not link a database driver.
package basis
