// Package mcp serves the Model Context Protocol: one endpoint whose tools call the REST
// operations in-process. Parameters, data and errors are REST's own.
package mcp
