// Package cluster runs the service as operators do, for tests and tools that inject
// faults: the program in processes of its own, PostgreSQL clusters that can be
// killed, frozen and kept from writing, a proxy that cuts the network between the
// two, and callers that report each response. What must hold is for the tests to
// check. It runs on Linux.
package cluster
