// Command release builds what a release consists of: static binaries that come
// out the same wherever they are built, a bill of materials of each, and their
// checksums. With -check it builds twice more, elsewhere, and compares.
package main
