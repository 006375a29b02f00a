// Package admin holds the types and the routing of the administration API. It is
// generated from openapi/admin.yaml, seen through openapi/admin.overlay.yaml; only this
// file is written by hand.
package admin
