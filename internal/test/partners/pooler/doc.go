// Package pooler runs servers behind PgBouncer in transaction mode: every response
// is the same as without it, and requests are counted as exactly. PgBouncer is another
// program, so the test has the build tag partners; make partners runs it.
package pooler
