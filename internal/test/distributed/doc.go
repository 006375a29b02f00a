// Package distributed runs the program on a coordinator and workers with Citus: what is
// promised there, beyond what the suites of other packages show on the same machines.
// Its tests have the build tag distributed: make distributed.
package distributed
