// Package corpus generates import files: newline-delimited JSON that an operator
// could have exported from a real interviewing programme. Demo tells the story
// of two invented brands, in prose that a visitor can read and in numbers that
// reconcile: what a synthesis document counts is what the interviews hold. Its
// output for one instant is committed in internal/demodata (make generate).
// Generate writes as many rows as a test or a benchmark asks for, in constant
// memory. Both are deterministic: the same arguments give the same bytes.
package corpus
