//go:build partners

package mcp_test

import (
	"regexp"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
)

var passed = regexp.MustCompile(`(?m)^Total: (\d+) passed, (\d+) failed`)

// The protocol's own suite, each revision by itself: whatever fails is in that
// revision's file of expected failures with its reason, and whatever is there
// does fail. The suite itself holds both.
func TestConformance(t *testing.T) {
	srv, _ := start(t)
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			address := withKey(t, srv, fresh(t, srv, "acme"))
			stdout, stderr, exit := run(t, "node_modules/@modelcontextprotocol/conformance/dist/index.js",
				"server", "--url", address, "--suite", "all", "--spec-version", revision,
				"--expected-failures", "expected-failures-"+revision+".yaml", "--output-dir", t.TempDir())
			t.Log(passed.FindString(stdout))
			check.Equal(t, exit, 0, stdout, stderr)
		})
	}
}
