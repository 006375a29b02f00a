//go:build linux

package resilience

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/doctor"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Responses read from a standby state up to when it has caught up, and are
// true for that moment; keys, quota and log stay exact, as they stay with the
// primary; and a standby that falls behind is not read at all.
func TestAnswersComeFromAReplica(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	standby, err := base.NewStandby(t.Context(), w.Postgres)
	require.NoError(t, err)
	t.Cleanup(standby.Crash)
	s := w.serve(t, w.OwnerURL(), "CLIENTINTEL_REPLICA_URL="+standby.OwnerURL(), "CLIENTINTEL_REPLICA_MAX_LAG=3s")
	key := w.Key(t, "acme")

	began := time.Now()
	require.NoError(t, base.Import(w.Postgres, cluster.Records(t, 500))) // two hundred more
	w.awaitReplay(t, standby)
	w.wantCorrectCounts(t, s)
	if asOf := w.asOf(t, s, key); asOf.Before(began) || asOf.After(time.Now()) {
		t.Errorf("as_of is %s, not between the import at %s and now", asOf, began)
	}
	readers := "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'clientintel read'"
	if onStandby, onPrimary := standby.Number(t, readers), w.Number(t, readers); onStandby == 0 || onPrimary != 0 {
		t.Errorf("%d connections read from the standby and %d from the primary", onStandby, onPrimary)
	}

	standbyFinding := func(lag time.Duration) (found doctor.Finding) {
		doctor.Examine(t.Context(), doctor.Database{
			OwnerURL: w.OwnerURL(), ServerURL: w.URL(embedded.Login), ReplicaURL: standby.OwnerURL(), MaxLag: lag,
		}, func(f doctor.Finding) {
			if f.Name == "database/standby" {
				found = f
			}
		})
		return found
	}
	if f := standbyFinding(30 * time.Second); f.State != doctor.OK {
		t.Errorf("the doctor finds the standby %+v", f)
	}

	// A primary without requests must not look like one that the standby lost.
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if ready, _ := s.Ready(t.Context()); !ready {
			t.Fatal("a server without requests for longer than the standby may lag is not ready")
		}
	}

	keys := w.keys(t, "acme", 2)
	l := w.callers(t, keys, only(s), 0)
	l.await(t, 200, 50)
	l.end()
	l.wantValidResponses(t)
	w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
	w.Number(t, "WITH k AS (UPDATE api_keys SET revoked_at = now() WHERE prefix = $1 RETURNING 1) SELECT count(*) FROM k", keys[1][4:16])
	if a := w.caller.Get(t.Context(), s.URL, "/interviews?limit=1", keys[1]); a.Status != 401 {
		t.Errorf("a revoked key gets %d", a.Status)
	}

	standby.Number(t, "SELECT 1 FROM pg_wal_replay_pause()")
	w.Key(t, "acme")
	if f := standbyFinding(0); f.State != doctor.Warning || !strings.Contains(f.Message, "last commit is") {
		t.Errorf("the doctor finds the standby that stands still %+v", f)
	}
	end := time.Now().Add(time.Minute)
	for {
		a := w.caller.Get(t.Context(), s.URL, "/interviews?limit=1", key)
		if a.Status == 503 {
			wantValidResponse(t, a)
			break
		}
		if time.Now().After(end) {
			t.Fatal("a standby that stands still is read for longer than may be")
		}
		time.Sleep(100 * time.Millisecond)
	}
	wantUnready(t, s)
	standby.Number(t, "SELECT 1 FROM pg_wal_replay_resume()")
	t.Logf("ready again after %s", w.awaitReady(t, s, key))
	w.awaitReplay(t, standby)
	w.wantCorrectCounts(t, s)
}

func (w *environment) asOf(t *testing.T, s *cluster.Server, key string) time.Time {
	t.Helper()
	var list struct {
		Meta struct {
			AsOf time.Time `json:"measurement_as_of"`
		}
	}
	a := w.caller.Get(t.Context(), s.URL, "/interviews?limit=1", key)
	if err := json.Unmarshal(a.Body, &list); err != nil || a.Status != 200 {
		t.Fatalf("status %d, %v: %s", a.Status, err, a.Body)
	}
	return list.Meta.AsOf
}

// awaitReplay waits until the standby has all that the primary has written.
func (w *environment) awaitReplay(t *testing.T, standby *cluster.Postgres) {
	t.Helper()
	written := w.Number(t, "SELECT (pg_current_wal_lsn() - '0/0')::bigint")
	end := time.Now().Add(recovery)
	for standby.Number(t, "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint") < written {
		if time.Now().After(end) {
			t.Fatal("the standby does not catch up")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
