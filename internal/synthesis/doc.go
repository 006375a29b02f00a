// Package synthesis reads a client's published synthesis: rows of the collection,
// and the frozen bodies of the portal with the integrity of the interviews behind
// them. The database decides what is visible.
package synthesis
