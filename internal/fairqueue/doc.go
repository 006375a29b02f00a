// Package fairqueue shares what is scarce among clients: a queue that serves them
// in turn, slots of which each has a share, and a budget of bytes. Whoever uses
// little waits little, whatever the others ask for.
package fairqueue
