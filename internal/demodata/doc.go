// Package demodata holds the demo corpus: two invented brands, in prose that a
// visitor can read and in numbers that reconcile, as an import file. The file is
// generated (internal/test/corpus, by make generate) as of one instant; Demo
// writes it with its dates moved to the present. Ids never change, so that
// importing the demo again replaces its rows.
package demodata
