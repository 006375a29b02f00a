// Package postgres opens the pool the server reads through, brings the schema
// up to date, and runs each response's reads in one read-only snapshot that has
// set its client. What the rows mean is the readers' business.
package postgres
