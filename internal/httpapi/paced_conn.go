package httpapi

import (
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"
)

// Listen paces what is read of a listener's connections, all as long as they have no key,
// large heads from then on, and counts the headers. With a configuration, they speak TLS.
func (c *Connections) Listen(l net.Listener, secure *tls.Config) net.Listener {
	return pacedListener{l, c.arrivals, secure}
}

type pacedListener struct {
	net.Listener
	arrivals *arrivals
	secure   *tls.Config
}

// Accept waits for the next connection. An error is the listener's.
func (l pacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	paced := &pacedConn{Conn: conn, arrivals: l.arrivals}
	if l.secure != nil {
		// The HTTP library sets a deadline for writing when it has read a request.
		if err := conn.SetWriteDeadline(time.Now().Add(handshakeTimeout)); err != nil {
			return nil, err
		}
		return newHeadConn(tls.Server(paced, l.secure), paced), nil
	}
	return newHeadConn(paced, paced), nil
}

// handshakeTimeout bounds what TLS writes before a first request.
const handshakeTimeout = 5 * time.Second

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
