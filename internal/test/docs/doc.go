// Package docs checks the pages against the code that they describe. It has tests only:
// links lead somewhere, the files, make targets, commands and settings that pages name
// exist, and the picture of the packages equals the imports.
package docs
