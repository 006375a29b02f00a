// Package tracing tells an OpenTelemetry collector of each request, where the
// standard variables name one: one span, with route, status and rows, and
// nothing that a caller sent but its trace's id. Where they name none, nothing
// of this runs.
package tracing
