// Package documents serves the public files: the contract, the guides and the pages for
// people and agents. They need no key and hold no data.
package documents
