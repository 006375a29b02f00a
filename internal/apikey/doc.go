// Package apikey owns the format of API keys and their life cycle, for the command line and
// the console: issue, rotate, revoke, list, use, audit, and the repair of a key's window.
// ratelimit decides in the database whether a request is admitted. One statement is in Go:
// it reads the database's clock.
package apikey
