// Package importer reads newline-delimited JSON, checks each record and writes
// it to the database, all in one transaction: a bad line imports nothing. It
// streams: lines are parsed on one goroutine and copied in batches on another,
// and memory does not grow with the file. It owns the import format and the
// register of ids; what of it a client may see is decided by the schema and
// the readers. It also writes a client out in that format, and removes one. The
// format is described in docs/import.md. Its SQL is written in Go where it is made per
// table, or reads staging tables, which sqlc does not know.
package importer
