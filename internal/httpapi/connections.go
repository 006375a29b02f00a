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
	// maxConnections bounds the open connections, maxIdleOfKey the idle ones of a key.
	maxConnections = 8192
	maxIdleOfKey   = 512
	// newConnectionSilence is how long a stopping server waits for the first request of a
	// new connection.
	newConnectionSilence = time.Second
	// acceptPause is how long accepting pauses after a connection beyond maxConnections.
	acceptPause = time.Millisecond
	// acceptYield is how long accepting pauses after each acceptedAtOnce connections: while
	// goroutines are always ready, the runtime polls the network only every 10 ms.
	// Accepting then resumes behind the goroutines that are ready, as in readPacer.tick.
	acceptYield    = 50 * time.Microsecond
	acceptedAtOnce = 16
)

// Connections bounds the open connections. A connection belongs to the key of the last
// request that was admitted on it; before that, to none.
type Connections struct {
	mu     sync.Mutex
	byConn map[net.Conn]*connection
	// idle has the connections that wait for a request, by key, keyless those without
	// a key. The first has waited longest.
	idle    map[uuid.UUID]*list.List
	keyless list.List
	pacer   *readPacer
	// accepted counts the connections, closed ones included.
	accepted int
}

type connection struct {
	net.Conn
	owner *Connections
	key   uuid.UUID
	// limited counts its headers; nil if the listener does not.
	limited *headerLimitConn
	// idle and keyless are its places in the lists; nil: it is not in the list.
	idle, keyless *list.Element
	idleSince     time.Time
	// state is net/http's: new until a request comes, idle between requests.
	state  http.ConnState
	opened time.Time
}

// NewConnections makes an empty set.
func NewConnections() *Connections {
	return &Connections{byConn: map[net.Conn]*connection{}, idle: map[uuid.UUID]*list.List{}, pacer: newReadPacer()}
}

type connectionKey struct{}

// Context is for http.Server.ConnContext: it adds a connection.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	if c.accepted++; c.accepted%acceptedAtOnce == 0 {
		time.Sleep(acceptYield)
		runtime.Gosched()
	}
	entry, isFull := c.add(conn)
	if isFull {
		time.Sleep(acceptPause)
	}
	return context.WithValue(ctx, connectionKey{}, entry)
}

// add adds a connection, and reports whether maxConnections was reached and another was
// closed for it.
func (c *Connections) add(conn net.Conn) (entry *connection, isFull bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if isFull = len(c.byConn) >= maxConnections; isFull {
		c.closeOne()
	}
	entry = &connection{Conn: conn, owner: c, opened: time.Now()}
	entry.limited, _ = conn.(*headerLimitConn)
	entry.keyless = c.keyless.PushBack(entry)
	c.byConn[conn] = entry
	return entry, isFull
}

// setConnectionKey records the key whose request was admitted on the connection.
func setConnectionKey(ctx context.Context, key uuid.UUID) {
	entry, ok := ctx.Value(connectionKey{}).(*connection)
	if !ok {
		return
	}
	entry.owner.mu.Lock()
	defer entry.owner.mu.Unlock()
	entry.owner.removeFromLists(entry)
	entry.key = key
	if entry.limited != nil {
		entry.limited.paced.unpaced.Store(true)
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
	entry := c.byConn[conn]
	if entry == nil { // it was closed
		return
	}
	entry.state = state
	if state == http.StateIdle && entry.limited != nil {
		entry.limited.reset()
	}
	switch {
	case state == http.StateClosed || state == http.StateHijacked:
		c.remove(entry)
	case state == http.StateIdle && entry.key != uuid.Nil:
		c.addIdle(entry)
	case entry.idle != nil:
		c.removeFromLists(entry)
	}
}

// AwaitRequests waits until no request is being received or answered, or ctx ends:
// http.Server drops a request that it reads after Shutdown has begun. Call it after
// accepting has stopped.
func (c *Connections) AwaitRequests(ctx context.Context) {
	for c.expectsRequests() && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
}

func (c *Connections) expectsRequests() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, entry := range c.byConn {
		if entry.state == http.StateActive || entry.limited != nil && entry.limited.paced.waiting.Load() ||
			entry.state == http.StateNew && time.Since(entry.opened) < newConnectionSilence {
			return true
		}
	}
	return false
}

func (c *Connections) addIdle(entry *connection) {
	c.removeFromLists(entry)
	idle := c.idle[entry.key]
	if idle == nil {
		idle = list.New()
		c.idle[entry.key] = idle
	}
	entry.idle, entry.idleSince = idle.PushBack(entry), time.Now()
	if idle.Len() > maxIdleOfKey {
		c.close(idle.Front())
	}
}

// closeOne closes the connection without a key that has been open longest, or else the
// one that has been idle longest.
func (c *Connections) closeOne() {
	longest := c.keyless.Front()
	if longest == nil {
		for _, idle := range c.idle {
			first := idle.Front()
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
	entry := element.Value.(*connection)
	c.remove(entry)
	go entry.Close() // TLS may wait for its caller
}

func (c *Connections) remove(entry *connection) {
	c.removeFromLists(entry)
	delete(c.byConn, entry.Conn)
}

func (c *Connections) removeFromLists(entry *connection) {
	if entry.keyless != nil {
		c.keyless.Remove(entry.keyless)
		entry.keyless = nil
	}
	if entry.idle != nil {
		idle := c.idle[entry.key]
		if idle.Remove(entry.idle); idle.Len() == 0 {
			delete(c.idle, entry.key)
		}
		entry.idle = nil
	}
}
