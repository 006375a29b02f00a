// Package console serves the administration API (openapi/admin.yaml) and the developer page
// to a portal's administrators: who signed the token, which client it is for, and the
// operations on keys, which apikey does.
package console
