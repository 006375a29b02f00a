// Package apidocs renders the page at /docs, with every operation of the contract
// and a form to try it, the guides beside it, and /llms.txt. All of it is rendered
// once, at start, from the contract as it is served, so that none of it can differ
// from the contract. Package httpapi serves it.
package apidocs
