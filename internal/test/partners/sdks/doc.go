// Package sdks generates clients for other languages from the contract as it is
// served, compiles them as strictly as their languages can, and lets each read
// every list, both kinds of synthesis, both modes of measurement and an error of
// every status: what it decoded must be what was sent. Its tests need the
// languages' tools and the network, so they have the build tag partners;
// make partners runs them. What a generator warns of is explained in the folder
// of its language, or the test fails.
package sdks
