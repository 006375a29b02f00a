// Package embedded runs a PostgreSQL server below a data directory, for
// trials, development and tests. It finds the PostgreSQL programs (or downloads them),
// creates the cluster with its roles and its database, starts the server without a port on
// a Unix socket that only this account can reach, and stops it on Close. A cluster stays
// with the major that made it. fsync is on; a killed process or a power
// loss needs no repair by hand; no file that the package did not make is
// removed. The migrations own what is inside the database; the SQL here is written in Go
// because it makes roles and databases, which sqlc does not know.
//
// Several processes may open the same directory. What one of them does depends on
// postgres.lock and on the server:
//
//	lock free, no server              start: take the lock, start the server
//	lock free, a server runs          its parent was killed: stop the orphan, then start
//	lock taken, the server answers    join: take postgres.users, shared
//	lock taken, no server answers     wait: the process with the lock starts or stops it
//	joined, and the lock is freed     take over: as with a free lock, on the same socket
//	lock mine, the server ends        start it again
//
// Layout of a data directory:
//
//	pg15/data         the cluster, named after its PostgreSQL major
//	postgres.log      the server's own log
//	postgres.lock     held by the process that runs the server
//	postgres.users    held, shared, by the processes that joined it
//	postgres-18.3.0/  downloaded programs, where none were installed
package embedded
