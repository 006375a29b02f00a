package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A deployment is asked from outside, with keys alone; what it answers decides
// the exit code.
func TestConformance(t *testing.T) {
	t.Parallel()
	env := onDatabase(t)
	if got := command(t, env, acme, "import", "-"); got.code != exitDone {
		t.Fatalf("import: %+v", got)
	}
	var key struct{ Key string }
	issued := command(t, env, "", "keys", "issue", "--json", "--client", "acme", "--name", "conformance")
	if err := json.Unmarshal([]byte(issued.stdout), &key); err != nil {
		t.Fatal(err)
	}
	server := startServer(t, env["DATABASE_URL"])
	given := map[string]string{"CLIENTINTEL_CONFORMANCE_KEYS": key.Key}
	got := command(t, given, "", "conformance", "--base-url", server.address, "--json")
	var report struct {
		Requests, Passed, Failed int
		Checks                   []struct{ Check, Outcome string }
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || got.code != exitDone || report.Failed > 0 || report.Passed < 50 {
		t.Fatalf("%v in %+v", err, got)
	}
	if strings.Contains(got.stdout+got.stderr, key.Key) {
		t.Error("the key is printed")
	}
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
