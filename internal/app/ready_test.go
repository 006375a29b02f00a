package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
)

// A server is ready exactly when a request would be answered: /readyz says why not.
func TestReady_FailsIfRequestsWouldFail(t *testing.T) {
	t.Parallel()
	ours := postgres.SchemaVersion()
	for name, c := range map[string]struct{ sql, want string }{
		"own schema": {"SELECT 1", ""},
		"older schema": {
			fmt.Sprintf("DELETE FROM goose_db_version WHERE version_id = %d", ours),
			fmt.Sprintf("the database's schema is at version %d and this release needs version %d: run 'clientintel migrate'", ours-1, ours),
		},
		"schema of the next release": {fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, true)", ours+1), ""},
		"schema that dropped this release": {
			fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, true); "+
				"CREATE OR REPLACE FUNCTION oldest_served_version() RETURNS bigint LANGUAGE sql RETURN %d", ours+1, ours+1),
			fmt.Sprintf("the database's schema is at version %d, which is newer than version %d of this release", ours+1, ours),
		},
		"admit revoked":            {"REVOKE EXECUTE ON FUNCTION admit FROM clientintel_server", "the server's login may not execute the function admit"},
		"admit of other arguments": {"ALTER FUNCTION admit RENAME TO admit_2", "the server's login may not execute the function admit"},
		"interviews revoked":       {"REVOKE SELECT ON interviews FROM clientintel_server", "a reader's transaction does not begin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.database.Exec(t, c.sql)
			got := ask(t, server.OpsHandler, "/readyz")
			if c.want == "" {
				check.Equal(t, got.Code, http.StatusOK, "/readyz answers", got.Body)
				return
			}
			if got.Code != http.StatusServiceUnavailable || !strings.HasPrefix(got.Body.String(), "not ready: "+c.want) {
				t.Errorf("/readyz answers %d %q, want 503 and %q", got.Code, got.Body, c.want)
			}
			check.Contains(t, server.log.String(), c.want, "the log")
		})
	}
}
