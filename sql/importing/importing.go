// Package importing embeds the temporary tables of an import.
package importing

import _ "embed"

// Tables makes them, until the transaction ends.
//
//go:embed tables.sql
var Tables string
