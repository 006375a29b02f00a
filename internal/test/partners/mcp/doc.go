// Package mcp checks the MCP endpoint with the programs that agents run: the
// protocol's conformance suite, its inspector and its TypeScript clients, in
// the versions of package-lock.json. Its tests need npm and the network, so
// they have the build tag partners; make partners runs them.
package mcp
