package httpapi

import (
	"bytes"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	// maxHeaders bounds the number of headers, whatever their length: net/http takes a
	// millisecond and 150 KB to parse as many short ones as fit its size limit.
	maxHeaders = 100
	// manyHeadersDelay is how long a request with more waits for its refusal: a caller
	// that is refused at once reconnects at once.
	manyHeadersDelay = 2 * time.Second
)

// headerLimitConn refuses a request with more than maxHeaders headers. After the last
// accepted line it returns one endless line, which net/http, whose limit is on bytes
// only, refuses with 431. Lines of a pipelined request are counted from net/http's next
// read on.
type headerLimitConn struct {
	net.Conn
	// paced is the connection below TLS.
	paced *pacedConn
	lines int
	// hasLine is set after a line that is not empty, isLineEmpty while the current line
	// is, isComplete after the empty line behind the headers.
	hasLine, isLineEmpty, isComplete bool
}

func newHeaderLimitConn(conn net.Conn, paced *pacedConn) *headerLimitConn {
	return &headerLimitConn{Conn: conn, paced: paced, isLineEmpty: true}
}

// reset begins to count the headers of the connection's next request.
func (c *headerLimitConn) reset() {
	c.lines, c.hasLine, c.isLineEmpty, c.isComplete = 0, false, true, false
}

func (c *headerLimitConn) Read(b []byte) (int, error) {
	if c.lines > maxHeaders+1 { // one is the request line
		return fill(b), nil
	}
	n, err := c.Conn.Read(b)
	if beyond := c.countLines(b[:n]); beyond > 0 {
		time.Sleep(manyHeadersDelay)
		fill(b[n-beyond : n])
	}
	return n, err
}

// countLines counts the lines of what was read, and returns how many of its last bytes
// lie beyond the last accepted line.
func (c *headerLimitConn) countLines(read []byte) int {
	for !c.isComplete {
		line, rest, isWhole := bytes.Cut(read, []byte("\n"))
		c.isLineEmpty = c.isLineEmpty && len(bytes.Trim(line, "\r")) == 0
		if !isWhole {
			return 0
		}
		switch {
		case !c.isLineEmpty:
			c.hasLine = true
			c.lines++
		case c.hasLine:
			c.isComplete = true
		}
		if c.lines > maxHeaders+1 {
			return len(rest) + 1
		}
		c.isLineEmpty, read = true, rest
	}
	return 0
}

func fill(b []byte) int {
	for i := range b {
		b[i] = 'x'
	}
	return len(b)
}

// CloseWrite lets the server end a response before it closes a connection whose caller
// still sends.
func (c *headerLimitConn) CloseWrite() error {
	conn := c.Conn
	if conn == net.Conn(c.paced) {
		conn = c.paced.Conn
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// WithTLS sets Request.TLS, which net/http sets only on connections that are a *tls.Conn
// themselves, not wrapped in a headerLimitConn.
func WithTLS(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connectionKey{}).(*connection); ok && conn.limited != nil {
			if secure, ok := conn.limited.Conn.(*tls.Conn); ok {
				state := secure.ConnectionState()
				r.TLS = &state
			}
		}
		h.ServeHTTP(w, r)
	})
}
