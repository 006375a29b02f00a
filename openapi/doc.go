// Package openapi holds the contract and the two public guides, which are built
// into the binary: openapi.yaml and guides/ are written by hand, and the JSON that
// is served is generated from them. It returns the contract as JSON and as JSON
// Schemas, and the guides with the service's address. Other packages enforce the
// contract and generate code from it.
package openapi
