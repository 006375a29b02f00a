// Package fairqueue shares resources between clients: Slots bounds concurrent work, with a
// share for each client, and serves those that wait in rotation. Its users choose the limits.
package fairqueue
