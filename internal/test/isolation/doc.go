// Package isolation tests that a client's responses do not depend on any other client:
// not on its records, nor on any value of them that a caller could try. It has tests
// only. They send the same requests to two installations, one with the other client and
// one without it, and compare bodies, statuses and what they cost the database. The
// requests come from the contract and from tools/list, so that a new parameter or tool
// is covered.
package isolation
