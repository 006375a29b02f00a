// Package analytics counts a client's usable interviews in a window, as the
// portal's charts do. It reads each interview once: rows are handed on as they
// come, and the series are counted meanwhile, so that a brand's whole history
// costs no more memory than a day.
package analytics
