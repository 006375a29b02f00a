// Package measurement opens the snapshot that a response is read in, proves the totals of
// canonical clients in it, and states which interviews a response is made from, with
// hashes that anyone can recompute. It also audits, rebuilds and switches measurement.
package measurement
