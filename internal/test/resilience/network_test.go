//go:build linux

package resilience

import (
	"testing"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// proxied is a proxy in front of the database, which the test controls.
func (w *environment) proxied(t *testing.T) *cluster.Proxy {
	t.Helper()
	proxy, err := cluster.NewProxy(w.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	return proxy
}

// A network that swallows everything looks like a database that has frozen.
// Whether it brings the old connections back or has forgotten them, the server
// recovers by itself.
func TestNetworkIsCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		restore func(*cluster.Proxy)
	}{
		{"and heals", (*cluster.Proxy).Restore},
		{"and forgets the connections", (*cluster.Proxy).Failover},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			keys := w.keys(t, "acme", 16)
			network := w.proxied(t)
			s := w.serve(t, network.URL())
			l := w.callers(t, keys, s)
			l.await(t, 200, 50)
			network.Cut()
			l.await(t, 503, 2*len(keys))
			wantUnready(t, s)
			c.restore(network)
			t.Logf("ready again after %s", w.awaitReady(t, s, w.key(t, "acme")))
			l.await(t, 200, 50)
			l.end()
			l.wantValidResponses(t)
			w.wantCorrectCounts(t, s)
			w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
		})
	}
}
