// Package reference makes what people and their agents read first: the page at
// /docs with every operation of the contract and a form to try it, the guides
// beside it, and /llms.txt. All of it is made once, at start, from the contract
// as it is served, so that none of it can say something else. Serving it is the
// edge's business.
package reference
