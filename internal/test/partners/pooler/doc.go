// Package pooler runs servers behind PgBouncer in transaction mode: every response
// is the same as without it, requests are counted as exactly, and a login or a
// setting that would break a promise there is refused at the start. PgBouncer
// is a program of its own, so the tests have the build tag partners;
// make partners runs them. PGBOUNCER names another program than pgbouncer.
package pooler
