//go:build linux

package faults

import (
	"testing"

	"github.com/clientintel/clientintel/internal/rig"
)

// proxied is the network to the database, in the test's hands.
func (w *world) proxied(t *testing.T) *rig.Proxy {
	t.Helper()
	proxy, err := rig.NewProxy(w.Postgres)
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
		name string
		mend func(*rig.Proxy)
	}{
		{"and heals", (*rig.Proxy).Heal},
		{"and forgets the connections", (*rig.Proxy).Failover},
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
			c.mend(network)
			t.Logf("ready again after %s", w.awaitReady(t, s, w.key(t, "acme")))
			l.await(t, 200, 50)
			l.end()
			l.wantOrderly(t)
			w.wantTruth(t, s)
			w.wantExact(t, s, keys[0], l.answers[keys[0]])
		})
	}
}
