// Package config holds the server's settings: one struct, filled once from
// flags and environment, checked whole and passed down as plain values.
package config
