// Package mcp serves the Model Context Protocol: one endpoint whose five tools
// call the REST operations in-process. It owns the transport's rules and the
// tools' descriptions; parameters, data and errors are REST's own.
package mcp
