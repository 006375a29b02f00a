// Package server is the way of every request, top down: the routes, the middleware around
// them and the handlers behind. It also runs one operation in-process, for the MCP adapter.
package server
