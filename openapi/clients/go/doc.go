// Package clientintel is a client of the API for Go: lists are walks over all
// pages, errors can be told apart, and requests wait for the quota and Retry-After.
// The types of parameters and answers are those of the package contract, where a
// nullable optional field tells null from absent.
package clientintel
