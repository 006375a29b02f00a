// Package page owns the walk through a list: the limit, the row that proves
// another page, and cursors, which are bound to client, route and filters.
package page
