// Package dbtest gives each test a PostgreSQL database of its own, cloned from
// a migrated template. It starts a private cluster for the test process unless
// CLIENTINTEL_TEST_DATABASE_URL names a superuser's login elsewhere.
package dbtest
