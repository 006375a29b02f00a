// Package guides checks the published guides against the service. It has
// tests only: they fetch the guides from a live server, run every block in them
// as a reader would, compare what a block prints with what the guide shows, and
// compare the guides' tables with the contract.
package guides
