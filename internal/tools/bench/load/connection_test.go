package load

import (
	"net"
	"strings"
	"testing"
)

// answered is a connection whose other end has sent this.
func answered(t *testing.T, text string) *connection {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	go func() {
		_, _ = theirs.Write([]byte(text))
		_ = theirs.Close()
	}()
	return newConnection(ours)
}

func TestRead_BodiesOfBothKinds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 20_000)
	for name, c := range map[string]struct {
		text, body string
	}{
		"length":         {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
		"no body":        {"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", ""},
		"long":           {"HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + long, long},
		"chunks":         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"},
		"a long chunk":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n30d40\r\n" + long + "\r\n0\r\n\r\n", long},
		"other headers":  {"HTTP/1.1 200 OK\r\nX: Content-Length: 9\r\nContent-Length: 1\r\nY:\r\n\r\n!", "!"},
		"the next comes": {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!HTTP/1.1 404 Not Found\r\n", "!"},
	} {
		for _, keep := range []bool{true, false} {
			got, err := answered(t, c.text).read(keep)
			if err != nil {
				t.Fatalf("%s, kept %v: %v", name, keep, err)
			}
			if got.status != 200 || got.length != int64(len(c.body)) {
				t.Errorf("%s, kept %v: status %d, %d bytes, want 200 and %d", name, keep, got.status, got.length, len(c.body))
			}
			if want := c.body[:min(len(c.body), shown)]; string(got.beginning) != want {
				t.Errorf("%s, kept %v: begins with %q, want %q", name, keep, got.beginning, want)
			}
			if keep && string(got.body) != c.body || !keep && got.body != nil {
				t.Errorf("%s, kept %v: the body has %d bytes", name, keep, len(got.body))
			}
		}
	}
}

// An incomplete response is an error.
func TestRead_WhatIsNotWholeIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"",
		"HTTP/1.1 2",
		"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
		"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\nuntil the end",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nhello\r\n0\r\n\r\n",
	} {
		if got, err := answered(t, text).read(true); err == nil {
			t.Errorf("%q was read as status %d with %d bytes", text, got.status, got.length)
		}
	}
}
