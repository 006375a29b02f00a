//go:build race

package mcp_test

// longestLine is more than a result of several rows may have. The longest line that import
// accepts takes the race detector minutes; make test has it.
const longestLine = 9 << 20
