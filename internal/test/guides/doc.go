// Package guides checks the published guides against the service. It has
// tests only: they fetch the guides from a live server, run every block in them
// as a reader would, compare what comes out with what the guides show, and look
// up every name the guides use in the contract. The guides themselves are
// openapi's.
package guides
