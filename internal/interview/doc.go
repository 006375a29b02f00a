// Package interview reads a client's usable interviews: one page of the list,
// or one interview. What is usable is the database's gate; which fields a caller
// sees is decided here, by what is read.
package interview
