// Package fault holds the errors that cross package borders on purpose: a kind,
// the contract's code, public words and a private cause. Any other error that
// reaches the HTTP layer is an accident and answers 500.
package fault
