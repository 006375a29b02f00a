// Package doctor examines a database for what would keep the service from working, or from
// keeping its promises, and names the command that mends it. It changes nothing. Its SQL is
// written in Go: it reads the catalog, also of databases whose tables sqlc does not describe.
package doctor
