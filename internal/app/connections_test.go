package app_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
)

// net/http would answer it by itself, without a request id.
func TestServe_OptionsStarIsAnUnknownPath(t *testing.T) {
	t.Parallel()
	at, _, _ := newServer(t).serve(t)
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 404 || answer.Header.Get("X-Request-Id") == "" {
		t.Errorf("status %d, X-Request-Id %q; want 404 and an id", answer.StatusCode, answer.Header.Get("X-Request-Id"))
	}
}
