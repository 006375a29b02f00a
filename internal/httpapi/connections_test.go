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
	all.change(c, http.StateNew)
	all.change(c, http.StateActive)
	setConnectionKey(ctx, key)
	return c
}

// One key keeps so many connections that wait for a request; one more ends the one
// that has waited longest, and none of another key.
func TestConnections_IdleOnesOfAKeyAreBounded(t *testing.T) {
	t.Parallel()
	all, key := NewConnections(), uuid.New()
	other := open(all, uuid.New())
	all.change(other, http.StateIdle)
	working := open(all, key)
	var idle []*trackedConn
	for range maxIdleOfKey {
		idle = append(idle, open(all, key))
		all.change(idle[len(idle)-1], http.StateIdle)
	}
	// It has waited shortest from now on.
	all.change(idle[0], http.StateActive)
	all.change(idle[0], http.StateIdle)
	idle[1].wantOpen(t, all)
	another := open(all, key)
	all.change(another, http.StateIdle)
	idle[1].wantClosed(t)
	for _, c := range []*trackedConn{other, working, idle[0], idle[2], another} {
		c.wantOpen(t, all)
	}
	for _, c := range append(idle, other, working, another) {
		all.change(c, http.StateClosed)
	}
	if n := all.open.Len() + len(all.byConn) + len(all.idle); n != 0 {
		t.Errorf("%d connections are counted when all are closed", n)
	}
}

// A new connection takes the place of one that waits for a request, or else of one
// without a key: a new caller finds a place, and callers at work keep theirs.
func TestConnections_AllAreBounded(t *testing.T) {
	t.Parallel()
	all := NewConnections()
	first, second, idle := open(all, uuid.Nil), open(all, uuid.Nil), open(all, uuid.New())
	all.change(idle, http.StateIdle)
	for all.open.Len() < maxConnections {
		open(all, uuid.New())
	}
	for _, c := range []*trackedConn{idle, first, second} {
		c.wantOpen(t, all)
		open(all, uuid.New())
		c.wantClosed(t)
		if n := all.open.Len(); n != maxConnections {
			t.Errorf("%d connections are open, want %d", n, maxConnections)
		}
	}
}
