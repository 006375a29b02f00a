//go:build linux

package resilience

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/doctor"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// The hosts that a URL lists are compared: an old primary that comes back beside the new
// one is found, and so is a host of another database.
func TestDoctor_ComparesTheHostsOfAFailover(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	standby, err := base.NewStandby(t.Context(), w.Postgres)
	require.NoError(t, err)
	t.Cleanup(standby.Crash)
	hosts := func(second string) doctor.Finding {
		both, err := url.Parse(w.URLOf(embedded.Superuser, "postgres"))
		require.NoError(t, err)
		other, err := url.Parse(second)
		require.NoError(t, err)
		query := both.Query()
		for _, name := range []string{"host", "port"} {
			query.Set(name, query.Get(name)+","+other.Query().Get(name))
		}
		query.Set("target_session_attrs", "read-write")
		both.RawQuery = query.Encode()
		var found doctor.Finding
		doctor.Examine(t.Context(), doctor.Database{OwnerURL: both.String(), ServerURL: both.String()}, func(f doctor.Finding) {
			if f.Name == "database/hosts" {
				found = f
			}
		})
		return found
	}
	want := func(found doctor.Finding, state doctor.State, text string) {
		t.Helper()
		if found.State != state || !strings.Contains(found.Message, text) {
			t.Errorf("found %+v, want %s and %q", found, state, text)
		}
	}
	want(hosts(standby.OwnerURL()), doctor.OK, "one of 2 hosts can be written to: ")
	standby.Number(t, "SELECT CASE WHEN pg_promote() THEN 1 END")
	found := hosts(standby.OwnerURL())
	want(found, doctor.Wrong, "more than one host can be written to")
	want(found, doctor.Wrong, "(timeline 1)")
	want(found, doctor.Wrong, "(timeline 2)")
	standby.Crash()
	want(hosts(standby.OwnerURL()), doctor.Warning, "does not answer: ")

	want(hosts(dbtest.New(t).SuperuserURL), doctor.Wrong, "is no copy of the other hosts' database")
}
