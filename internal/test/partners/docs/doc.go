// Package docs checks the reference page in a real browser: Debian's
// Chromium, driven by the locked packages. Its tests need npm, Chromium and the
// network, so they have the build tag partners; make partners runs them.
package docs
