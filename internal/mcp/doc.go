// Package mcp is the agents' edge: one endpoint of the Model Context Protocol
// whose five tools ask the REST operations in-process. It owns the transport's
// rules and the tools' words; parameters, data and errors are REST's own.
package mcp
