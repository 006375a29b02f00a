// Package timewindow reads the dates and date-times of the contract and the
// windows they bound. Everything is UTC and microsecond-grained from here on,
// as it is in PostgreSQL.
package timewindow
