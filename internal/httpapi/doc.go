// Package httpapi is the REST edge: it takes each request through the door
// (route, key, quota, scope, parameters), hands it to a reader and says the
// answer, or the fault, in the contract's words. It knows no SQL.
package httpapi
