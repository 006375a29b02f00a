// Package docs checks the reference and the explorer in a real browser: Debian's
// Chromium, driven by the locked packages. Its tests need npm, Chromium and the
// network, so they have the build tag partners; make partners runs them.
package docs
