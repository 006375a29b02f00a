// Package demodata writes import files: newline-delimited JSON that an operator
// could have exported from a real interviewing programme. Demo tells the story
// of two invented brands, in prose that a visitor can read and in numbers that
// reconcile: what a synthesis document counts is what the interviews hold.
// Generate writes as many rows as a test or a benchmark asks for, in constant
// memory. Both are deterministic: the same arguments give the same bytes, and
// an id stays the same whatever the clock says, so that importing again
// replaces. Reading such a file, and deciding what of it is visible, is left to
// the importer and the readers.
package demodata
