// Package handler answers the contract's operations, one operation a file: who is asking,
// what they ask, get the answer, say it. It knows the generated interface and never SQL.
package handler
