// Package postgres opens the pool the server reads through, brings the schema
// up to date, and runs each response's reads in one read-only snapshot that has
// set its client. What the rows mean is the readers' business.
//
// SQL stands in Go here where sqlc cannot type it: statements of a session, questions
// to the catalog and about the migrations, and what is made for each table or function.
package postgres
