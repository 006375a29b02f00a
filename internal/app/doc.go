// Package app wires the parts into a running server: settings in, listeners
// out. NewServer makes each part once, in the order it is needed.
// Its one statement in Go takes a transaction id, of no table.
package app
