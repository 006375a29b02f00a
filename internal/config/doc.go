// Package config holds the settings: one struct, filled once from
// environment and flags, checked whole and passed down as plain values.
package config
