package httpapi

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// maxConnections bounds the open connections, maxIdleOfKey those of one key that
	// wait for a request.
	maxConnections = 8192
	maxIdleOfKey   = 128
	// acceptPause spreads what is accepted beyond maxConnections.
	acceptPause = time.Millisecond
)

// Connections bounds a server's connections. A key is a connection's from the last
// request on that was admitted on it; before, it has none.
type Connections struct {
	mu sync.Mutex
	// open has the connection first whose state is longest unchanged.
	open   list.List
	byConn map[net.Conn]*list.Element
	idle   map[uuid.UUID]int
}

type connection struct {
	net.Conn
	key  uuid.UUID
	idle bool
}

// NewConnections makes an empty set.
func NewConnections() *Connections {
	return &Connections{byConn: map[net.Conn]*list.Element{}, idle: map[uuid.UUID]int{}}
}

type connectionsKey struct{}

type connectionOf struct {
	all  *Connections
	conn net.Conn
}

// Context is for http.Server.ConnContext.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionsKey{}, connectionOf{c, conn})
}

// setConnectionKey notes whose request was admitted on the request's connection.
func setConnectionKey(ctx context.Context, key uuid.UUID) {
	of, _ := ctx.Value(connectionsKey{}).(connectionOf)
	if of.all == nil {
		return
	}
	of.all.mu.Lock()
	defer of.all.mu.Unlock()
	if element := of.all.byConn[of.conn]; element != nil {
		element.Value.(*connection).key = key
	}
}

// Track is for http.Server.ConnState.
func (c *Connections) Track(conn net.Conn, state http.ConnState) {
	if c.change(conn, state) {
		time.Sleep(acceptPause)
	}
}

// change tells whether the connection is beyond maxConnections.
func (c *Connections) change(conn net.Conn, state http.ConnState) (beyond bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.byConn[conn]
	if element == nil {
		if state != http.StateNew {
			return false // it was closed
		}
		if beyond = c.open.Len() >= maxConnections; beyond {
			c.closeOne()
		}
		c.byConn[conn] = c.open.PushBack(&connection{Conn: conn})
		return beyond
	}
	of := element.Value.(*connection)
	c.setIdle(of, state == http.StateIdle)
	switch state {
	case http.StateClosed, http.StateHijacked:
		c.forget(element)
	case http.StateIdle:
		c.open.MoveToBack(element)
		if c.idle[of.key] > maxIdleOfKey {
			c.closeFirst(func(other *connection) bool { return other.idle && other.key == of.key })
		}
	default:
		c.open.MoveToBack(element)
	}
	return false
}

func (c *Connections) setIdle(of *connection, idle bool) {
	switch {
	case idle && !of.idle:
		c.idle[of.key]++
	case !idle && of.idle:
		if c.idle[of.key]--; c.idle[of.key] == 0 {
			delete(c.idle, of.key)
		}
	}
	of.idle = idle
}

// closeOne closes the connection that waits longest for a request, or else that
// waits longest for its first admission.
func (c *Connections) closeOne() {
	if len(c.idle) > 0 {
		c.closeFirst(func(of *connection) bool { return of.idle })
	} else {
		c.closeFirst(func(of *connection) bool { return of.key == uuid.Nil })
	}
}

func (c *Connections) closeFirst(is func(*connection) bool) {
	for element := c.open.Front(); element != nil; element = element.Next() {
		if of := element.Value.(*connection); is(of) {
			c.setIdle(of, false)
			c.forget(element)
			go of.Close() // TLS may wait for its caller
			return
		}
	}
}

func (c *Connections) forget(element *list.Element) {
	delete(c.byConn, element.Value.(*connection).Conn)
	c.open.Remove(element)
}
