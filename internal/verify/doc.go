// Package verify recomputes the hashes, counts and order in saved responses of
// this API, and checks that the pages of a walk hold the interviews that its
// first page named. It needs no database and no network.
package verify
