// Package verify recomputes, offline, what saved responses of this API state of
// themselves: hashes, counts, order, and that the pages of a walk are together
// what its first page promised. It needs no database and trusts none.
package verify
