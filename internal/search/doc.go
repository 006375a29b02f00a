// Package search finds usable interviews by a text in their extraction. The
// database keeps the searched text, with its case folded, in the writer's own
// transaction; its functions say how and of which fields. The package chooses how
// each search is carried out, so that none takes long or delays others.
package search
