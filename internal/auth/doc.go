// Package auth defines the caller of a request, its client and its scopes. apikey
// and ratelimit authenticate it.
package auth
