package httpapi

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
)

// trackedConn tells when it is closed.
type trackedConn struct {
	net.Conn
	closed chan struct{}
}

func (c *trackedConn) Close() error {
	close(c.closed)
	return nil
}

// wantClosed waits for the connection's end, so that it fails by the test's own limit.
func (c *trackedConn) wantClosed(t *testing.T) {
	t.Helper()
	select {
	case <-c.closed:
	case <-time.After(20 * time.Second):
		t.Error("the connection is open")
	}
}

func (c *trackedConn) wantOpen(t *testing.T, all *Connections) {
	t.Helper()
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byConn[c] == nil {
		t.Error("the connection was closed")
	}
}

// open opens a connection on which a request of the key was admitted; Nil: none.
func open(all *Connections, key uuid.UUID) *trackedConn {
	c := &trackedConn{closed: make(chan struct{})}
	ctx := all.Context(context.Background(), c)
	all.Track(c, http.StateNew)
	all.Track(c, http.StateActive)
	if key != uuid.Nil {
		setConnectionKey(ctx, key)
	}
	return c
}

// One key keeps so many connections that wait for a request; one more ends the one
// that has waited longest, and none of another key.
func TestConnections_IdleOnesOfAKeyAreBounded(t *testing.T) {
	t.Parallel()
	all, key := NewConnections(), uuid.New()
	other := open(all, uuid.New())
	all.Track(other, http.StateIdle)
	working := open(all, key)
	var idle []*trackedConn
	for range maxIdleOfKey {
		idle = append(idle, open(all, key))
		all.Track(idle[len(idle)-1], http.StateIdle)
	}
	// It has waited shortest from now on.
	all.Track(idle[0], http.StateActive)
	all.Track(idle[0], http.StateIdle)
	idle[1].wantOpen(t, all)
	another := open(all, key)
	all.Track(another, http.StateIdle)
	idle[1].wantClosed(t)
	for _, c := range []*trackedConn{other, working, idle[0], idle[2], another} {
		c.wantOpen(t, all)
	}
	for _, c := range append(idle, other, working, another) {
		all.Track(c, http.StateClosed)
	}
	if n := all.keyless.Len() + len(all.byConn) + len(all.idle); n != 0 {
		t.Errorf("%d connections are counted when all are closed", n)
	}
}

// A new connection takes the place of one without a key, or else of the one that
// waits longest for a request: a new caller finds a place, and callers at work keep
// theirs.
func TestConnections_AllAreBounded(t *testing.T) {
	t.Parallel()
	all := NewConnections()
	first, second := open(all, uuid.Nil), open(all, uuid.Nil)
	longer, shorter := open(all, uuid.New()), open(all, uuid.New())
	all.Track(longer, http.StateIdle)
	all.Track(shorter, http.StateIdle)
	for len(all.byConn) < maxConnections {
		open(all, uuid.New())
	}
	for _, c := range []*trackedConn{first, second, longer, shorter} {
		c.wantOpen(t, all)
		open(all, uuid.New())
		c.wantClosed(t)
		if n := len(all.byConn); n != maxConnections {
			t.Errorf("%d connections are open, want %d", n, maxConnections)
		}
	}
}
