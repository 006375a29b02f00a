// Package load sends requests and times the responses. It runs in its own process on
// one thread, so that its cost is the same for both sides of a comparison. A connection
// sends its next request when it has read the last response whole. Every response is
// checked: its status, its length and a text that it must contain.
package load
