// Package auth defines the caller of a request and the contract's scopes. It authenticates
// nothing: ratelimit does, with keys of apikey.
package auth
