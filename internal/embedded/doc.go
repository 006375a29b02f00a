// Package embedded runs a PostgreSQL server below a data directory, for
// trials, development and tests: without a port, with a password that it makes. It finds the
// PostgreSQL programs (or downloads them), creates the cluster with its roles
// and its database, starts the server on a Unix socket that only this account
// can reach, and stops it on Close. fsync is on; a killed process or a power
// loss needs no repair by hand; no file that the package did not make is
// removed. Several processes may open the same directory; one of them runs
// the server and, when it ends, another takes over. The migrations own what
// is inside the database; the SQL that stands in Go here makes roles and databases, which
// sqlc does not know.
//
// Layout of a data directory:
//
//	pg15/data         the cluster, one for each PostgreSQL major; the newest is run
//	upgrade-…/        a cluster of a newer major that is not complete yet
//	postgres.log      the server's own log; postgres.log.1 is the one before
//	postgres.password of every login; only the account that runs this program may read it
//	postgres.lock     held by the process that runs the server
//	postgres.users    held, shared, by the processes that joined it
//	postgres-18.3.0/  downloaded programs, where none were installed
package embedded
