// Package clients installs the published clients as make dist packs them, holds
// their types against their languages' strictest checks, runs every line of their
// READMEs, and compares what they read with the service's own answers. Its tests
// stand behind the build tag partners; make partners runs them.
package clients
