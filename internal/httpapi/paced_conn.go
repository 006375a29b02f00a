package httpapi

import (
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"
)

// Listen returns a listener whose connections' headers are counted and whose reads are
// paced: all of them until a request was admitted on the connection, then only reads of
// headPiece bytes. With a TLS configuration, connections use TLS.
func (c *Connections) Listen(l net.Listener, config *tls.Config) net.Listener {
	return pacedListener{l, c.pacer, config}
}

type pacedListener struct {
	net.Listener
	pacer  *readPacer
	config *tls.Config
}

// Accept waits for the next connection. An error is the listener's.
func (l pacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	paced := &pacedConn{Conn: conn, pacer: l.pacer}
	if l.config != nil {
		// net/http sets a write deadline when it has read a request.
		if err := conn.SetWriteDeadline(time.Now().Add(handshakeTimeout)); err != nil {
			return nil, err
		}
		return newHeaderLimitConn(tls.Server(paced, l.config), paced), nil
	}
	return newHeaderLimitConn(paced, paced), nil
}

// handshakeTimeout bounds what TLS writes before a first request.
const handshakeTimeout = 5 * time.Second

// headPiece is how many bytes of headers net/http reads at most at a time.
const headPiece = 4 << 10

// pacedConn delays what it has read until the pacer releases it, at most headPiece bytes
// at a time: a request is parsed, and takes memory, only then.
type pacedConn struct {
	net.Conn
	pacer *readPacer
	// unpaced is set once a request was admitted on the connection: shorter reads are not
	// paced from then on.
	unpaced atomic.Bool
	// waiting is set while something was read and is not released.
	waiting atomic.Bool
}

func (c *pacedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == headPiece || n > 0 && !c.unpaced.Load() {
		c.waiting.Store(true)
		c.pacer.await()
		c.waiting.Store(false)
	}
	return n, err
}
