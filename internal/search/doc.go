// Package search finds usable interviews by a text in their extraction. The
// database stores the searched text, with its case folded, in the writer's own
// transaction; its functions define how, and of which fields. The package chooses how each
// search is executed, so that none takes long or delays others.
package search
