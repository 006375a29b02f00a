//go:build !race

package mcp_test

// longestLine is the longest line that import accepts.
const longestLine = 16 << 20
