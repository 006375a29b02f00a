// Package doctor examines a database for what would keep the service from
// working, or from keeping its promises, and says what to do about it. It
// changes nothing. Its SQL stands in Go: it asks the catalog, also of a database whose
// tables are not what sqlc knows.
package doctor
