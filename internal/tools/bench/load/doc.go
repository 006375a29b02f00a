// Package load sends requests and times the answers. It runs in a process of
// its own and on one thread: what it takes from the machine, both sides of a
// comparison pay alike. A connection sends its next request when the answer to
// the last one has been read whole. Every answer is looked at: its status, its
// length and a text that it must hold.
package load
