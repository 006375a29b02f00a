// Package ops is what the server's operator sees: health, readiness and
// metrics, on a listener of their own that partners never reach.
package ops
