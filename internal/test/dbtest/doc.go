// Package dbtest gives each test a PostgreSQL database of its own, cloned from a migrated
// template. CLIENTINTEL_TEST_DATABASE_URL names the cluster, as a superuser's login: make
// starts one for all packages. Without it the test process starts its own.
package dbtest
