// Package baseline is the server that the product is compared with: the list route as a good
// team would write it by hand in a few days, on the same tables. A chi router,
// pgx with its prepared statements, structs and encoding/json; keys found by
// the SHA-256 of their text; the quota counted in a transaction that locks the
// key and inserts a row; an HMAC over the cursor; a line of log a request. It
// has keys and a request log of its own. It checks the stored `usable` column only,
// takes no snapshot, and always states legacy measurement.
package baseline
