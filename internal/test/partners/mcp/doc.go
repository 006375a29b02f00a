// Package mcp checks the MCP endpoint with the programs that agents run: the
// protocol's conformance suite and its clients in TypeScript and Python, in the versions of
// the lock files. Its tests need npm and the network, so they have the build tag partners;
// make partners runs them.
package mcp
