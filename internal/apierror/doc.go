// Package apierror defines the errors that cross package borders on purpose: a
// kind, the contract's code, public words and a private cause. The HTTP layer
// answers any other error with 500.
package apierror
