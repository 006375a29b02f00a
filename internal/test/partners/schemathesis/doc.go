// Package schemathesis holds the service against its own contract: Schemathesis
// makes requests out of the served document, right ones and wrong ones, and
// judges every answer. Its tests need Python and the network, so they stand
// behind the build tag partners; make partners runs them.
package schemathesis
