package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
)

// connection speaks as much HTTP/1.1 as a server's responses to a GET need: a
// client library would cost more than some of the servers.
type connection struct {
	net.Conn
	in      *bufio.Reader
	request []byte
	body    []byte
}

// response is valid until the next request.
type response struct {
	status    int
	length    int64
	beginning []byte
	// body is empty unless it was to be kept.
	body []byte
}

// shown is how much of a response is kept to report what was wrong with it.
const shown = 300

func newConnection(c net.Conn) *connection {
	return &connection{Conn: c, in: bufio.NewReaderSize(c, 64<<10)}
}

// send sends a GET, or posts a message to an MCP endpoint.
func (c *connection) send(path, post, key string, keep bool) (response, error) {
	if post == "" {
		c.request = fmt.Appendf(c.request[:0], "GET %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n", path, key)
	} else {
		c.request = fmt.Appendf(c.request[:0], "POST %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Mcp-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s", post, key, len(path), path)
	}
	if _, err := c.Write(c.request); err != nil {
		return response{}, err
	}
	return c.read(keep)
}

func (c *connection) read(keep bool) (response, error) {
	var a response
	line, err := c.line()
	if err != nil {
		return a, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return a, fmt.Errorf("the response begins with %q", line)
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, fmt.Errorf("the response begins with %q", line)
	}
	length, chunked, err := c.headers()
	if err != nil {
		return a, err
	}
	c.body = c.body[:0]
	switch {
	case chunked:
		a.length, err = c.chunks(keep)
	case length >= 0:
		a.length, err = length, c.take(length, keep)
	default:
		err = errors.New("the response has neither a length nor chunks")
	}
	a.beginning = c.body[:min(len(c.body), shown)]
	if keep {
		a.body = c.body
	}
	return a, err
}

// line is the next line without its end.
func (c *connection) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

func (c *connection) headers() (length int64, chunked bool, err error) {
	length = -1
	for {
		line, err := c.line()
		if err != nil {
			return 0, false, err
		}
		if len(line) == 0 {
			return length, chunked, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.ParseInt(string(value), 10, 64); err != nil || length < 0 {
				return 0, false, fmt.Errorf("the length is %q", value)
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = bytes.EqualFold(value, []byte("chunked"))
		}
	}
}

func (c *connection) chunks(keep bool) (int64, error) {
	var sum int64
	for {
		line, err := c.line()
		if err != nil {
			return sum, err
		}
		size, err := strconv.ParseInt(string(line), 16, 64)
		if err != nil || size < 0 {
			return sum, fmt.Errorf("the size of a chunk is %q", line)
		}
		if err := c.take(size, keep); err != nil {
			return sum, err
		}
		if line, err = c.line(); err != nil {
			return sum, err
		}
		if len(line) != 0 {
			return sum, fmt.Errorf("after a chunk of %d comes %q", size, line)
		}
		if size == 0 {
			return sum, nil
		}
		sum += size
	}
}

// take reads so many bytes of body, and keeps their beginning at least.
func (c *connection) take(n int64, keep bool) error {
	wanted := n
	if !keep {
		wanted = min(n, int64(max(shown-len(c.body), 0)))
	}
	have := len(c.body)
	c.body = slices.Grow(c.body, int(wanted))[:have+int(wanted)]
	if _, err := io.ReadFull(c.in, c.body[have:]); err != nil {
		return err
	}
	for rest := n - wanted; rest > 0; {
		passed, err := c.in.Discard(int(min(rest, 1<<20)))
		if err != nil {
			return err
		}
		rest -= int64(passed)
	}
	return nil
}
