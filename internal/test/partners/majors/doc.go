// Package majors moves the embedded database from PostgreSQL 15 to the newest that
// can be downloaded.
package majors
