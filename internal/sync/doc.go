// Package sync keeps clients as a source has them, every night: each client by itself, in
// one transaction of its own, so that one that fails holds up no other. It reads the
// configuration, asks the source for its clients and says what became of each; what a
// record is, and how it is written, is the importer's. docs/sync.md describes it.
package sync
