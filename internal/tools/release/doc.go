// Command release builds what a release consists of: reproducible static binaries, the
// clients' packages, a bill of materials of each, and their checksums. With -check it
// builds twice more in other directories, and compares.
package main
