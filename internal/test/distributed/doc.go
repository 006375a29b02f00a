// Package distributed runs the program on a coordinator and workers with Citus, and tests
// what is promised there, beyond the suites of other packages that also run there. Its tests have the build tag distributed: make distributed.
package distributed
