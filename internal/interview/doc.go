// Package interview reads a client's usable interviews: one page of the list,
// or one interview. The database decides which are usable, by the usable rule; the package
// decides which fields a caller sees, by what it reads.
package interview
