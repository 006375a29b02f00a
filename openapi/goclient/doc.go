// Package goclient reads the API from Go: lists as iterators that follow the
// cursors, errors that can be told apart, and waiting where the service asks
// for it. The types are those of gen/client, which is generated from the
// contract; a field that may be null or left out tells the two apart there.
package goclient
