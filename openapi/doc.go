// Package openapi holds the contract, openapi.yaml, and the two public guides,
// both written by hand and built into the binary. It returns the contract as YAML,
// as JSON and as JSON Schemas, and the guides with the service's address. Other
// packages enforce the contract and generate code from it.
package openapi
