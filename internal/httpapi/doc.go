// Package httpapi is the HTTP edge: it bounds connections, routes, authenticates, admits
// and validates requests, calls a reader and writes the response or the contract's error.
// It runs operations in-process for mcp. Queries belong to the readers, JSON to render.
package httpapi
