// Package apidocs holds the page at /docs, with every operation of the contract
// and a form to try it, the guides beside it, and /llms.txt. They are rendered from
// the contract and the guides when code is generated (internal/tools/generate);
// here they get the service's address. Package documents serves them.
package apidocs
