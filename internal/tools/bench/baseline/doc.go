// Package baseline is what the product is compared with: the list route as a good
// team would write it by hand in a few days, on the same tables. A chi router,
// pgx with its prepared statements, structs and encoding/json; keys found by
// the SHA-256 of their text; the limit counted in a transaction that locks the
// key and inserts a row; an HMAC over the cursor; a line of log a request. It
// has keys and a request log of its own. It knows no gate but the column, no
// snapshot, no measurement but the word legacy, and records no outcome.
package baseline
