// Package faults breaks what the service stands on and holds it to what it
// promises then: the real program on a PostgreSQL that is killed, frozen,
// starved or cut off, and programs that are killed themselves. It has tests
// only; docs/faults.md lists what is tried and what is promised.
package faults
