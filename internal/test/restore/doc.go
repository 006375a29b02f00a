// Package restore drops the database and restores it from a dump, as docs/deployment.md
// describes. The service's own audits and every response must then be as before. It has
// tests only.
package restore
