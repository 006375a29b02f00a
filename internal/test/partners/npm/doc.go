// Package npm runs the programs of a folder's locked npm packages, for tests
// that hold the service against what partners run.
package npm
