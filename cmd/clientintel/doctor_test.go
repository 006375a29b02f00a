package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/require"
)

// The embedded database is in order as it is made, but for what only a running
// server does; and what is wrong decides the exit code.
func TestDoctor(t *testing.T) {
	t.Parallel()
	// Where the server's own account can pass: as root, t.TempDir keeps it out.
	dir, err := os.MkdirTemp("", "clientintel-doctor")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	embedded := map[string]string{"CLIENTINTEL_DATA_DIR": dir}
	done(t, embedded, "", "migrate")
	if got := command(t, embedded, "", "doctor"); got.code != exitDone || !strings.Contains(got.stdout, "ok       roles/server_login: ") {
		t.Errorf("the embedded database: %+v", got)
	}
	_, env := onDatabase(t)
	got := command(t, env, "", "doctor", "--json") // the tests' cluster has fsync off
	var findings []struct{ Check, State, Says, Advice string }
	if err := json.Unmarshal([]byte(got.stdout), &findings); err != nil || got.code != exitFailed || len(findings) < 9 {
		t.Errorf("%v in %+v", err, got)
	}
	gone := map[string]string{"DATABASE_URL": "postgres://u:hunter2@127.0.0.1:1/x"}
	if got := command(t, gone, "", "doctor"); got.code != exitFailed || !strings.Contains(got.stdout, "WRONG    database/reachable: ") ||
		strings.Contains(got.stdout+got.stderr, "hunter2") {
		t.Errorf("nobody there: %+v", got)
	}
}
