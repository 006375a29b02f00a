// Package roles embeds the SQL that makes the database's roles.
package roles

import _ "embed" // the SQL

// Create makes the roles that migrations grant rights to, and the owner, who may take them.
//
//go:embed roles.sql
var Create string
