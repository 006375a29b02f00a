// Package analytics counts a client's usable interviews in a window, as the
// portal's charts do. It reads each interview once and counts the series while it
// hands the rows on, so that a client's whole history costs no more memory than a day.
package analytics
