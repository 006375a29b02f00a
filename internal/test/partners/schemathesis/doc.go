// Package schemathesis checks the service against its own contract: Schemathesis
// makes valid and invalid requests out of the served document, and validates every
// response. Its tests need Python and the network, so they have
// the build tag partners; make partners runs them.
package schemathesis
