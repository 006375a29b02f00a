// Package pages renders what internal/apidocs holds: the reference and the guides
// as HTML, and llms.txt, from the contract and the guides' Markdown.
package pages
