//go:build linux

package cluster

import (
	"net"
	"net/url"
	"strconv"
	"sync"

	"github.com/clientintel/clientintel/internal/embedded"
)

// Proxy is the network between the program and its database.
type Proxy struct {
	listener net.Listener
	target   string // a Unix socket

	mu         sync.Mutex
	open       chan struct{} // closed while bytes pass
	generation *generation   // of the connections made now
	closed     bool
	conns      []net.Conn
}

// generation is shared by the connections made before a failover.
type generation struct{ lost chan struct{} }

// NewProxy passes everything on to a server.
func NewProxy(p *Postgres) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it outlives any one context
	if err != nil {
		return nil, err
	}
	proxy := &Proxy{listener: listener, target: p.Socket(), open: make(chan struct{}), generation: &generation{make(chan struct{})}}
	close(proxy.open)
	go proxy.accept()
	return proxy, nil
}

// URL logs in as the owner, through the proxy.
func (x *Proxy) URL() string {
	address := x.listener.Addr().(*net.TCPAddr)
	u := url.URL{
		Scheme: "postgres", User: url.User(embedded.Owner), Path: "/" + embedded.Database,
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(address.Port)), RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Cut drops every byte and closes no connection.
func (x *Proxy) Cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open = make(chan struct{})
}

// Restore lets bytes pass again, those held back first, as TCP would.
func (x *Proxy) Restore() {
	x.mu.Lock()
	defer x.mu.Unlock()
	close(x.open)
}

// Failover heals, but for connections that exist: they stay silent for good, as
// behind a router that has forgotten them.
func (x *Proxy) Failover() {
	x.mu.Lock()
	close(x.generation.lost)
	x.generation = &generation{make(chan struct{})}
	x.mu.Unlock()
	x.Restore()
}

// Close closes everything.
func (x *Proxy) Close() {
	_ = x.listener.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, c := range x.conns {
		_ = c.Close()
	}
}

func (x *Proxy) accept() {
	for {
		near, err := x.listener.Accept()
		if err != nil {
			return
		}
		go x.serve(near)
	}
}

// register makes Close close a connection too. It reports false if the proxy is closed.
func (x *Proxy) register(c net.Conn) (*generation, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		_ = c.Close()
		return nil, false
	}
	x.conns = append(x.conns, c)
	return x.generation, true
}

func (x *Proxy) serve(near net.Conn) {
	born, ok := x.register(near)
	if !ok || !x.awaitOpen(born) {
		return
	}
	far, err := net.Dial("unix", x.target) //nolint:noctx // a local socket
	if err != nil {
		_ = near.Close()
		return
	}
	if _, ok := x.register(far); !ok {
		return
	}
	go x.copy(far, near, born)
	x.copy(near, far, born)
}

// awaitOpen waits until the network passes bytes, and reports whether this connection
// still can.
func (x *Proxy) awaitOpen(born *generation) bool {
	x.mu.Lock()
	open := x.open
	x.mu.Unlock()
	select {
	case <-born.lost:
		return false
	case <-open:
	}
	select {
	case <-born.lost:
		return false
	default:
		return true
	}
}

// copy ends both directions when one ends, unless the network is cut.
func (x *Proxy) copy(to, from net.Conn, born *generation) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if !x.awaitOpen(born) {
			return
		}
		if n > 0 {
			if _, werr := to.Write(buf[:n]); werr != nil {
				err = werr
			}
		}
		if err != nil {
			_ = to.Close()
			_ = from.Close()
			return
		}
	}
}
