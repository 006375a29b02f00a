// Package api holds the server's side of the contract: its types and the
// routing of its six operations that need a key. It is generated from
// openapi/openapi.yaml, seen through openapi/codegen.overlay.yaml; only this
// file is written by hand. The seventh operation, the contract itself, is a
// public document and served like the guides.
package api
