// Package apikey owns the shape of API keys and their life: issue, rotate,
// revoke, list. Whether a key is let in is decided by ratelimit, in the
// database. Its one statement in Go asks for the time, of no table.
package apikey
