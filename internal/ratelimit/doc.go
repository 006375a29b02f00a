// Package ratelimit authenticates keys and enforces the quota of each key in a rolling
// hour, exactly across servers. It sends waiting requests in groups to the database
// function admit, which counts rows of the request log, and adds up the use of keys.
// apikey owns the keys, middleware the HTTP statuses.
package ratelimit
