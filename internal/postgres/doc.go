// Package postgres opens the pool the server reads through, brings the schema
// up to date, and runs each response's reads in one read-only snapshot that has
// set its client. Queries and the meaning of rows are left to the readers.
//
// SQL is written in Go where sqlc cannot generate it: session statements, catalog queries
// and statements made for each table or function.
package postgres
