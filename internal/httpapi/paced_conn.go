package httpapi

import (
	"crypto/tls"
	"net"
	"sync/atomic"
)

// Listen paces what is read of a listener's connections: all as long as they have no key,
// large heads from then on.
func (c *Connections) Listen(l net.Listener) net.Listener { return pacedListener{l, c.arrivals} }

type pacedListener struct {
	net.Listener
	arrivals *arrivals
}

// Accept waits for the next connection. An error is the listener's.
func (l pacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &pacedConn{Conn: conn, arrivals: l.arrivals}, nil
}

// headPiece is how many bytes of a head the HTTP library reads at most at a time.
const headPiece = 4 << 10

// pacedConn passes on what it reads in turns, a piece in each: a request is parsed, and
// takes memory, in its turn.
type pacedConn struct {
	net.Conn
	arrivals *arrivals
	// unpaced is set once a request was admitted on it: short ones pass.
	unpaced atomic.Bool
	// waiting says that something was read and waits for its turn.
	waiting atomic.Bool
}

func (c *pacedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == headPiece || n > 0 && !c.unpaced.Load() {
		c.waiting.Store(true)
		c.arrivals.await()
		c.waiting.Store(false)
	}
	return n, err
}

// CloseWrite lets the server end an answer before it closes a connection whose caller
// still sends.
func (c *pacedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// pacedBelow is the connection that a listener paces, below TLS if need be.
func pacedBelow(conn net.Conn) *pacedConn {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	paced, _ := conn.(*pacedConn)
	return paced
}
