// Package app wires the parts into a running server: settings in, listeners
// out. Each part is made once, here, in the order it is needed.
package app
