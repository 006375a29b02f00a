// Package apikey owns the format of API keys and their life cycle: issue, rotate,
// revoke, list, audit, and the repair of a key's window. ratelimit decides in the
// database whether a request is admitted. Two statements are in Go: one reads the
// database's clock, one (delete_statuses.go) sqlc cannot parse.
package apikey
