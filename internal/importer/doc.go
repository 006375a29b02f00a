// Package importer reads newline-delimited JSON, checks each record and writes it to the
// database, all in one transaction: a bad line imports nothing. The input streams through
// one COPY into a temporary table, so memory does not grow with it; queries then check it
// as a whole and write what differs. It owns the import format and the register of ids;
// what of it a client may see is decided by the schema and the readers. It also writes a
// client out in that format, and removes one. The format is described in docs/import.md.
// SQL is written in Go where it is made of a kind's columns.
package importer
