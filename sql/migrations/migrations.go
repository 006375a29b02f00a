// Package migrations embeds the schema's history, for the binary to apply.
package migrations

import "embed"

// Files holds every migration, in the order of their numbers.
//
//go:embed *.sql
var Files embed.FS
