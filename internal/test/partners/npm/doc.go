// Package npm runs the programs of a folder's locked npm packages, for tests
// that check the service with the programs that partners run.
package npm
