// Package ops serves health, readiness and metrics to the operator, on a listener
// that partners cannot reach.
package ops
