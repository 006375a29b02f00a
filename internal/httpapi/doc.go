// Package httpapi is the REST edge. It routes, authenticates, admits and
// validates each request, calls a reader, and writes the answer or the error in
// the contract's words. It knows no SQL.
package httpapi
