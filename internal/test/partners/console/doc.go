// Package console checks the developer page in a real browser: Debian's Chromium, driven by
// the locked packages; and runs the examples of docs/portal.md. Its tests need npm, Chromium
// and the network, so they have the build tag partners; make partners runs them.
package console
