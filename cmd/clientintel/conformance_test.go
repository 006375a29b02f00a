package main

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
)

// A deployment is asked from outside, with keys alone; what it answers decides
// the exit code.
func TestConformance(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	done(t, env, acme, "import", "-")
	var key struct{ Key string }
	decoded(t, env, &key, "keys", "issue", "--client", "acme", "--name", "conformance")
	server := startServer(t, env["DATABASE_URL"])
	given := map[string]string{"CLIENTINTEL_CONFORMANCE_KEYS": key.Key}
	var report struct {
		Requests, Passed, Failed int
		Checks                   []struct{ Check, Outcome string }
	}
	got := decoded(t, given, &report, "conformance", "--base-url", server.address)
	if report.Failed > 0 || report.Passed < 50 {
		t.Fatalf("%+v", got)
	}
	check.Lacks(t, got.stdout+got.stderr, key.Key, "the key is printed")
	wrong := key.Key[:len(key.Key)-1] + "?"
	got = command(t, nil, "", "conformance", "--base-url", server.address+"/", "--key", wrong)
	if got.code != exitFailed || !strings.Contains(got.stdout, "FAILED   scopes/interviews (key 1)") ||
		!strings.Contains(got.stdout, " requests; checks passed: ") {
		t.Errorf("with a wrong key: %+v", got)
	}
	if got := command(t, nil, "", "conformance", "--base-url", "http://127.0.0.1:1", "--key", "k"); got.code != exitFailed ||
		!strings.Contains(got.stderr, "gets no answer") {
		t.Errorf("nobody there: %+v", got)
	}
}
