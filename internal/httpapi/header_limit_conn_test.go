package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// piecesConn has a text to read, in pieces of any length.
type piecesConn struct {
	net.Conn
	text string
	draw *rand.Rand
}

func (c *piecesConn) Read(b []byte) (int, error) {
	if c.text == "" {
		return 0, io.EOF
	}
	n := copy(b, c.text[:min(len(c.text), 1+c.draw.IntN(40))])
	c.text = c.text[n:]
	return n, nil
}

// head is a request line, so many headers, and the end, with line ends of any kind.
func head(draw *rand.Rand, method string, headers int) string {
	end := func() string { return []string{"\n", "\r\n"}[draw.IntN(2)] }
	text := method + " / HTTP/1.1" + end() + "Host: x" + end()
	for i := 1; i < headers; i++ {
		text += fmt.Sprintf("h%d:%s%s", i, strings.Repeat(" ", draw.IntN(2)), end())
	}
	return text + end()
}

// A connection passes on what it reads, up to the headers that it accepts, whatever pieces
// they come in. A body may have any number of lines, and the next request is counted anew.
func TestHeaderLimitConn_CountsHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, countHeaders)
}

func countHeaders(t *testing.T) {
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 1))
		body := strings.Repeat("\n", 3*maxHeaders)
		first := head(draw, "POST", 1+draw.IntN(maxHeaders)) + body
		conn := newHeaderLimitConn(&piecesConn{text: first, draw: draw}, nil)
		if read, err := io.ReadAll(conn); err != nil || string(read) != first {
			t.Fatalf("seed %d: %q became %q (%v)", seed, first, read, err)
		}
		conn.reset()
		headers := maxHeaders - 1 + draw.IntN(4)
		conn.Conn = &piecesConn{text: head(draw, "GET", headers) + body, draw: draw}
		began := time.Now()
		request, err := http.ReadRequest(bufio.NewReader(io.LimitReader(conn, 12<<10)))
		if headers > maxHeaders {
			if err == nil || time.Since(began) != manyHeadersDelay {
				t.Fatalf("seed %d: of %d headers %d are read after %s (%v)", seed, headers, len(request.Header), time.Since(began), err)
			}
			continue
		}
		if err != nil || len(request.Header)+1 != headers {
			t.Fatalf("seed %d: %d headers: %d are read (%v)", seed, headers, len(request.Header)+1, err)
		}
	}
}
