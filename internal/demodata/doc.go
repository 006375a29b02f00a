// Package demodata holds the demo corpus: a year of two invented brands, in prose that a
// visitor can read and in numbers that reconcile, as an import file of one instant; its first
// eight months have no transcripts, which keeps it small. Demo writes it with its dates moved
// to the present. Ids never change, so that importing the demo again
// replaces its rows. To change a record, unpack demo.ndjson.gz, edit its line and pack it
// with gzip -9n; a basis that names an interview has its hash.
package demodata
