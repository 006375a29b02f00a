// Package render maps what readers found to the contract's types. It alone decides
// which fields are absent and which are null. REST and the MCP adapter share it.
package render
