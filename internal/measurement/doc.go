// Package measurement answers, for every reader, which interviews count and how
// many there are. It opens the snapshot a response is read in, proves what a
// canonical client is told, and computes the hashes that anyone can recompute.
package measurement
