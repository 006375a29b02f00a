// Package page owns the pagination of lists: the limit, the row that proves
// another page, and cursors, which are bound to client, route and filters.
package page
