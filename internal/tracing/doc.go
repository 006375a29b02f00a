// Package tracing exports a span of each request to the OpenTelemetry collector
// that the standard variables name. A span has route, status and rows, and
// nothing that a caller sent except its trace id. Without a collector nothing runs.
package tracing
