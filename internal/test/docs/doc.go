// Package docs checks the pages in docs/ against the code that they describe. It has
// tests only: they compare the picture of the packages with the imports, and
// look up the tests, files and make targets that pages name.
package docs
