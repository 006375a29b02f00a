// Package apierror defines the errors that cross package borders on purpose: a
// kind, the contract's code, public words and a private cause. The HTTP layer
// turns any other error into a 500.
package apierror
