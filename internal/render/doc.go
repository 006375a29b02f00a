// Package render says what readers found in the contract's types. It alone
// decides what is left out and what is null. REST and the agents' adapter say
// the same things with the same functions.
package render
