package httpapi

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// maxConnections bounds the open connections, maxIdleOfKey those of one key that
	// wait for a request.
	maxConnections = 8192
	maxIdleOfKey   = 512
	// newConnectionSilence is how long a new connection's first request is waited for
	// when the server stops.
	newConnectionSilence = time.Second
	// acceptPause spreads what is accepted beyond maxConnections.
	acceptPause = time.Millisecond
	// acceptYield is slept after so many connections: while one goroutine after the other
	// is ready, the runtime asks the network for the others' requests every 10 ms only.
	// Accepting then goes on behind all that is ready, as in arrivals.tick.
	acceptYield    = 50 * time.Microsecond
	acceptedAtOnce = 16
)

// Connections bounds a server's connections. A key is a connection's from the last
// request on that was admitted on it; before, it has none.
type Connections struct {
	mu     sync.Mutex
	byConn map[net.Conn]*connection
	// idle has the connections that wait for a request, by key, keyless those without
	// a key. The first has waited longest.
	idle     map[uuid.UUID]*list.List
	keyless  list.List
	arrivals *arrivals
	// accepted counts the connections, those that were closed included.
	accepted int
}

type connection struct {
	net.Conn
	all *Connections
	key uuid.UUID
	// head paces and counts what is read of it; nil where the listener does not.
	head *headConn
	// idle and keyless are its places in the lists; nil: it has none.
	idle, keyless *list.Element
	idleSince     time.Time
	// state is the server's: new until a request comes on it, idle between requests.
	state  http.ConnState
	opened time.Time
}

// NewConnections makes an empty set.
func NewConnections() *Connections {
	return &Connections{byConn: map[net.Conn]*connection{}, idle: map[uuid.UUID]*list.List{}, arrivals: newArrivals()}
}

type connectionKey struct{}

// Context is for http.Server.ConnContext: it begins to count a connection.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	if c.accepted++; c.accepted%acceptedAtOnce == 0 {
		time.Sleep(acceptYield)
		runtime.Gosched()
	}
	of, beyond := c.add(conn)
	if beyond {
		time.Sleep(acceptPause)
	}
	return context.WithValue(ctx, connectionKey{}, of)
}

// add tells whether the connection is beyond maxConnections, and another was closed.
func (c *Connections) add(conn net.Conn) (of *connection, beyond bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if beyond = len(c.byConn) >= maxConnections; beyond {
		c.closeOne()
	}
	of = &connection{Conn: conn, all: c, opened: time.Now()}
	of.head, _ = conn.(*headConn)
	of.keyless = c.keyless.PushBack(of)
	c.byConn[conn] = of
	return of, beyond
}

// setConnectionKey notes whose request was admitted on the request's connection.
func setConnectionKey(ctx context.Context, key uuid.UUID) {
	of, ok := ctx.Value(connectionKey{}).(*connection)
	if !ok {
		return
	}
	of.all.mu.Lock()
	defer of.all.mu.Unlock()
	of.all.leaveLists(of)
	of.key = key
	if of.head != nil {
		of.head.pace.unpaced.Store(true)
	}
}

// Len is how many are open.
func (c *Connections) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byConn)
}

// Track is for http.Server.ConnState.
func (c *Connections) Track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.byConn[conn]
	if of == nil { // it was closed
		return
	}
	of.state = state
	if state == http.StateIdle && of.head != nil {
		of.head.next()
	}
	switch {
	case state == http.StateClosed || state == http.StateHijacked:
		c.forget(of)
	case state == http.StateIdle && of.key != uuid.Nil:
		c.wait(of)
	case of.idle != nil:
		c.leaveLists(of)
	}
}

// AwaitRequests waits until what was asked is answered, or ctx ends: http.Server drops a
// request that it reads after Shutdown has begun. No more is to be accepted by then.
func (c *Connections) AwaitRequests(ctx context.Context) {
	for c.expectsRequests() && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
}

func (c *Connections) expectsRequests() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range c.byConn {
		if of.state == http.StateActive || of.head != nil && of.head.pace.waiting.Load() ||
			of.state == http.StateNew && time.Since(of.opened) < newConnectionSilence {
			return true
		}
	}
	return false
}

func (c *Connections) wait(of *connection) {
	c.leaveLists(of)
	waiting := c.idle[of.key]
	if waiting == nil {
		waiting = list.New()
		c.idle[of.key] = waiting
	}
	of.idle, of.idleSince = waiting.PushBack(of), time.Now()
	if waiting.Len() > maxIdleOfKey {
		c.close(waiting.Front())
	}
}

// closeOne closes the connection without a key that is open longest, or else the one
// that waits longest for a request.
func (c *Connections) closeOne() {
	longest := c.keyless.Front()
	if longest == nil {
		for _, waiting := range c.idle {
			first := waiting.Front()
			if longest == nil || first.Value.(*connection).idleSince.Before(longest.Value.(*connection).idleSince) {
				longest = first
			}
		}
	}
	if longest != nil {
		c.close(longest)
	}
}

func (c *Connections) close(element *list.Element) {
	of := element.Value.(*connection)
	c.forget(of)
	go of.Close() // TLS may wait for its caller
}

func (c *Connections) forget(of *connection) {
	c.leaveLists(of)
	delete(c.byConn, of.Conn)
}

func (c *Connections) leaveLists(of *connection) {
	if of.keyless != nil {
		c.keyless.Remove(of.keyless)
		of.keyless = nil
	}
	if of.idle != nil {
		waiting := c.idle[of.key]
		if waiting.Remove(of.idle); waiting.Len() == 0 {
			delete(c.idle, of.key)
		}
		of.idle = nil
	}
}
