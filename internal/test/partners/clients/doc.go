// Package clients installs the published clients as make dist packs them, checks
// their types with their languages' strictest settings, runs every line of their
// READMEs, and compares what they read with the service's own responses. Its tests
// have the build tag partners; make partners runs them.
package clients
