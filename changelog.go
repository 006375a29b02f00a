// Package clientintel holds the changelog, which the server serves.
package clientintel

import _ "embed" // the changelog

// Changelog lists what users of the API notice, newest first, in Markdown.
//
//go:embed CHANGELOG.md
var Changelog []byte
