//go:build linux

package resilience

import (
	"net/url"
	"strings"
	"testing"
	"time"

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
		both := hostList(t, w.URLOf(embedded.Superuser, "postgres"), second)
		var found doctor.Finding
		doctor.Examine(t.Context(), doctor.Database{OwnerURL: both, ServerURL: both}, func(f doctor.Finding) {
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

// The primary dies under load, the standby is promoted: the servers that name both hosts
// serve again without a restart, and a key that is revoked then is refused at once.
func TestFailover_ServersFollowThePrimary(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	standby, err := base.NewStandby(t.Context(), w.Postgres)
	require.NoError(t, err)
	t.Cleanup(standby.Crash)
	s := w.serve(t, hostList(t, w.URL(embedded.Login), standby.URL(embedded.Login)))
	key, leaked := w.Key(t, "acme"), w.Key(t, "acme")

	at := time.Now()
	step := func(what string) { t.Logf("%5.1f s  %s", time.Since(at).Seconds(), what) }
	load := w.callers(t, []string{key}, only(s), 0)
	load.await(t, 200, 20)
	w.Crash()
	step("the primary is gone")
	load.await(t, 503, 20)
	wantUnready(t, s)
	step("requests are 503, the server is not ready")
	standby.Number(t, "SELECT CASE WHEN pg_promote() THEN 1 END")
	step("the standby is promoted")
	w.awaitReady(t, s, leaked)
	step("the server serves again")
	load.await(t, 200, 20)
	load.end()

	_, err = base.Run(standby.OwnerURL(), "", "keys", "revoke", leaked, "--reason", "leaked")
	require.NoError(t, err)
	step("the key is revoked")
	if a := w.caller.Get(t.Context(), s.URL, "/interviews?limit=1", leaked); a.Status != 401 {
		t.Errorf("the revoked key is answered %d", a.Status)
	}
	step("the key is refused")
}

// hostList is a URL of two hosts that leads to the one that can be written to.
func hostList(t *testing.T, first, second string) string {
	t.Helper()
	both, err := url.Parse(first)
	require.NoError(t, err)
	other, err := url.Parse(second)
	require.NoError(t, err)
	query := both.Query()
	for _, name := range []string{"host", "port"} {
		query.Set(name, query.Get(name)+","+other.Query().Get(name))
	}
	query.Set("target_session_attrs", "read-write")
	both.RawQuery = query.Encode()
	return both.String()
}
