// Package openapi owns the contract, openapi.yaml, and the two public guides
// beside it, written by hand and built into the binary. It gives the contract
// out as YAML and as JSON, and the guides with the service's address put in, and
// leaves reading them, enforcing them and generating code from them to others.
package openapi
