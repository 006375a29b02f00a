// Package validators checks the served contract and live answers with validators and
// implementations of RFC 8785 that others wrote. Its tests need npm, Python and the network,
// so they have the build tag partners; make partners runs them.
package validators
