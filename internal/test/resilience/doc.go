// Package resilience tests the program under faults: PostgreSQL killed, frozen or
// disconnected, a standby that falls behind, and an upgrade of running servers. It has
// tests only; docs/operations.md lists the faults and what is promised under each.
package resilience
