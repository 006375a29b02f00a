// Package app wires the parts into a running server: settings in, listeners
// out. NewServer makes each part once, in the order it is needed.
// The queries belong to other packages, except the standby heartbeat, which takes a
// transaction id.
package app
