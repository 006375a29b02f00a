// Package search finds usable interviews by a text in their extraction. The
// database keeps what is searched, folded, in the writer's own transaction; how
// texts are folded and which fields there are is said in its functions. The
// package decides in which way a search is carried out, so that none takes long
// or stands in the way of others.
package search
