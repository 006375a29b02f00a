// Package rig runs the service as operators do, for tests and commands that
// break it: the real program in processes of its own, PostgreSQL clusters that
// can be killed, frozen and starved, a proxy that cuts the network between the
// two, and callers that say how they were answered. What ought to hold then is
// the business of who uses it. It runs on Linux.
package rig
