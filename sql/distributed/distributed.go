// Package distributed embeds what makes a migrated database a distributed one, on
// PostgreSQL with the extension Citus.
package distributed

import _ "embed"

// Distribute is run by the schema's owner, in one transaction, any number of times.
//
//go:embed distribute.sql
var Distribute string
