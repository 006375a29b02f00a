// Package clientintel is a client of the API for Go: lists are iterators over all
// pages, errors can be told apart, and requests wait for the quota and Retry-After.
// Its types are those of gen/client, which is generated from the contract; there
// a nullable optional field tells null from absent.
package clientintel
