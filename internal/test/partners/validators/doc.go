// Package validators computes the scope hashes of live answers with implementations of RFC
// 8785 that others wrote. Its test needs Python and the network, so it has the build tag
// partners; make partners runs it.
package validators
