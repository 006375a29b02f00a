// Package db holds the typed queries that sqlc makes from sql/queries and
// sql/migrations, and the functions that execute some of them on the workers of a
// distributed database. Generated, save this file: change the SQL and run make generate.
package db
