// Package resilience tests the program under faults: PostgreSQL killed, frozen, out
// of a resource or disconnected, and the program itself killed. It has tests only;
// docs/operations.md lists the faults and what is promised under each.
package resilience
