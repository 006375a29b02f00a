// Package apitest runs the wired server over real HTTP on a real PostgreSQL,
// for tests: two clients with their keys, builders for what they have, and a
// caller that says what it wants of the answers.
package apitest
