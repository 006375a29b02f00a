// Package access names who is asking: the caller, its client and its scopes.
// How a key proves them is the business of apikey and ratelimit.
package access
