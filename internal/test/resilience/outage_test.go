//go:build linux

package resilience

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/require"
)

// outage is a database out of reach. strike begins it and returns what ends it.
type outage struct {
	settings map[string]string
	ready    bool // the server says so meanwhile
	strike   func(*testing.T, *environment, *cluster.Proxy) func() error
}

// outages of the database: of the process, of the network, and of what each request needs.
var outages = map[string]outage{
	"PostgreSQL is killed":  {strike: restartedAfter(func(w *environment) { w.Kill() })},
	"PostgreSQL is stopped": {strike: restartedAfter(func(w *environment) { w.Stop() })},
	"PostgreSQL crashes":    {strike: restartedAfter(func(w *environment) { w.Crash() })},
	// Its connections stay open and answer nothing.
	"PostgreSQL is frozen": {strike: func(_ *testing.T, w *environment, _ *cluster.Proxy) func() error {
		w.Freeze()
		return func() error { w.Resume(); return nil }
	}},
	"the network is cut and heals": {strike: func(_ *testing.T, _ *environment, network *cluster.Proxy) func() error {
		network.Cut()
		return func() error { network.Restore(); return nil }
	}},
	"the network is cut and forgets the connections": {strike: func(_ *testing.T, _ *environment, network *cluster.Proxy) func() error {
		network.Cut()
		return func() error { network.Failover(); return nil }
	}},
	// As a migration or an operator may do.
	"interviews are locked": {ready: true, strike: func(t *testing.T, w *environment, _ *cluster.Proxy) func() error {
		release := w.holdTransaction(t, "LOCK TABLE interviews IN ACCESS EXCLUSIVE MODE")
		return func() error { release(); return nil }
	}},
	// Admission stops: no request is admitted uncounted.
	"the request log is locked": {ready: true, strike: func(t *testing.T, w *environment, _ *cluster.Proxy) func() error {
		release := w.holdTransaction(t, "LOCK TABLE request_log IN EXCLUSIVE MODE")
		return func() error { release(); return nil }
	}},
	"others have every connection": {settings: map[string]string{"max_connections": "30"}, strike: takeConnections},
}

func restartedAfter(end func(*environment)) func(*testing.T, *environment, *cluster.Proxy) func() error {
	return func(t *testing.T, w *environment, _ *cluster.Proxy) func() error {
		end(w)
		return func() error { return w.Start(t.Context()) }
	}
}

// takeConnections ends the server's connections and takes them before it reconnects.
func takeConnections(t *testing.T, w *environment, _ *cluster.Proxy) func() error {
	var others []*pgx.Conn
	for range 4 {
		for {
			conn, err := pgx.Connect(t.Context(), w.URL(embedded.Superuser))
			if err != nil {
				break
			}
			others = append(others, conn)
		}
		_, _ = others[0].Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'clientintel%'")
	}
	return func() error {
		for _, conn := range others {
			_ = conn.Close(context.Background())
		}
		return nil
	}
}

// While the database is out of reach, however that comes, callers get 503 in time, and 200
// from when it is back. Counts stay true, and a key's 600 are neither given back nor given
// twice.
func TestOutages(t *testing.T) {
	t.Parallel()
	for name, c := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, c.settings)
			keys := w.keys(t, "acme", 16)
			network, err := cluster.NewProxy(w.Postgres)
			require.NoError(t, err)
			t.Cleanup(network.Close)
			s := w.serve(t, network.URL())
			l := w.callers(t, keys, only(s), 0)
			l.await(t, 200, 50)
			end := c.strike(t, w, network)
			l.await(t, 503, 2*len(keys))
			if !c.ready {
				wantUnready(t, s)
			}
			require.NoError(t, end())
			t.Logf("ready again after %s", w.awaitReady(t, s, w.Key(t, "acme")))
			l.await(t, 200, 50)
			l.end()
			l.wantValidResponses(t)
			w.wantCorrectCounts(t, s)
			w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
		})
	}
}

// A server that is asked to stop while its database is frozen ends all the same.
func TestStoppingOnAFrozenDatabase(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	keys := w.keys(t, "acme", 8)
	s := w.serve(t, w.OwnerURL())
	l := w.callers(t, keys, only(s), 0)
	l.await(t, 200, 20)
	w.Freeze()
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	s.Signal(syscall.SIGTERM)
	// Four seconds for requests in flight, four for the log, three for goodbyes.
	if inTime, _ := s.Wait(25 * time.Second); !inTime {
		t.Errorf("the server still runs: %s", s.Logs())
	}
	t.Logf("ended after %s", time.Since(began))
	w.Resume()
	l.end()
}
