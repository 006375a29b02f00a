// Package restore drops the database and restores it, as docs/deployment.md describes:
// from a dump, and from a base backup and the archived WAL to a point in time. The
// service's own audits and every response must then be as before. It has tests only.
package restore
