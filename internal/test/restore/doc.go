// Package restore loses the database and gets it back, as docs/deployment.md tells
// operators to: from a dump, and from a base backup and the archived WAL to a
// point in time. What comes back must be what was there, by the service's own
// audits and by every answer. It has tests only.
package restore
