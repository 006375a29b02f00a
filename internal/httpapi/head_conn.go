package httpapi

import (
	"bytes"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	// maxHeaders bounds the headers of a request, whatever their length: the HTTP library
	// takes a millisecond and 150 KB for as many of a few bytes as it reads.
	maxHeaders = 100
	// manyHeadersDelay is how long a refusal of more takes: a caller that is refused at
	// once connects again at once.
	manyHeadersDelay = 2 * time.Second
)

// headConn counts the lines of a head. After the last that it accepts, all is one line
// without end: the HTTP library, which has no bound of its own for them, refuses that
// with 431. A request that is sent before the last one was answered is counted from the
// library's next read on.
type headConn struct {
	net.Conn
	// pace is the connection itself, below TLS if need be.
	pace  *pacedConn
	lines int
	// begun says that the head has a line that is not empty, blank that the line so far is
	// empty, ended that a body may follow.
	begun, blank, ended bool
}

func newHeadConn(conn net.Conn, pace *pacedConn) *headConn {
	return &headConn{Conn: conn, pace: pace, blank: true}
}

// next begins to count the head of the connection's next request.
func (c *headConn) next() { c.lines, c.begun, c.blank, c.ended = 0, false, true, false }

func (c *headConn) Read(b []byte) (int, error) {
	if c.lines > maxHeaders+1 { // beside them, the request line
		return fill(b), nil
	}
	n, err := c.Conn.Read(b)
	if beyond := c.beyond(b[:n]); beyond > 0 {
		time.Sleep(manyHeadersDelay)
		fill(b[n-beyond : n])
	}
	return n, err
}

// beyond counts the lines of what was read, and returns how many bytes of it follow the text
// of one line more than is accepted.
func (c *headConn) beyond(read []byte) int {
	for !c.ended {
		line, rest, whole := bytes.Cut(read, []byte("\n"))
		c.blank = c.blank && len(bytes.Trim(line, "\r")) == 0
		if !whole {
			return 0
		}
		switch {
		case !c.blank:
			c.begun = true
			c.lines++
		case c.begun:
			c.ended = true
		}
		if c.lines > maxHeaders+1 {
			return len(rest) + 1
		}
		c.blank, read = true, rest
	}
	return 0
}

func fill(b []byte) int {
	for i := range b {
		b[i] = 'x'
	}
	return len(b)
}

// CloseWrite lets the server end an answer before it closes a connection whose caller
// still sends.
func (c *headConn) CloseWrite() error {
	conn := c.Conn
	if conn == net.Conn(c.pace) {
		conn = c.pace.Conn
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// WithTLS tells a request of its connection's TLS, which http.Server only sees on a
// connection that is the library's own.
func WithTLS(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if of, ok := r.Context().Value(connectionKey{}).(*connection); ok && of.head != nil {
			if secure, ok := of.head.Conn.(*tls.Conn); ok {
				state := secure.ConnectionState()
				r.TLS = &state
			}
		}
		h.ServeHTTP(w, r)
	})
}
