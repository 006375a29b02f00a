// Package db holds the typed queries that sqlc makes from sql/queries and
// sql/migrations. Generated, save this file: change the SQL and run make generate.
package db
