// Package fairqueue shares resources between clients: Queue serves them in rotation, Slots
// bounds concurrent work and Budget bytes, each with a share per client. Its users choose
// the limits.
package fairqueue
