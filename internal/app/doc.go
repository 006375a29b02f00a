// Package app wires the parts into a running server: settings in, listeners
// out. NewServer makes each part once, in the order it is needed.
package app
