// Package apitest runs the wired server over real HTTP on a real PostgreSQL,
// for tests: two clients with their keys, builders of their records, and
// responses with assertions.
package apitest
