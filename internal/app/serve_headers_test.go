package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/require"
)

// Headers are read up to 16 KiB, whoever sends them, on each request of a connection.
func TestServe_HeadersAreBounded(t *testing.T) {
	t.Parallel()
	at, _, _ := newServer(t).serve(t)
	for _, sent := range []struct {
		headers string
		want    int
	}{
		{"X-Long: " + strings.Repeat("x", 7<<10) + "\r\n", http.StatusOK},
		{"X-Long: " + strings.Repeat("x", 17<<10) + "\r\n", http.StatusRequestHeaderFieldsTooLarge},
	} {
		conn, err := net.Dial("tcp", at)
		require.NoError(t, err)
		defer conn.Close()
		answers := bufio.NewReader(conn)
		for i, headers := range []string{"", sent.headers} {
			fmt.Fprintf(conn, "GET /api/client/v1/openapi.json HTTP/1.1\r\nHost: x\r\n%s\r\n", headers)
			response, err := http.ReadResponse(answers, nil)
			if err != nil && i == 1 && sent.want != http.StatusOK {
				break // the server closed the connection while it was written to
			}
			require.NoError(t, err, len(headers))
			if want := []int{http.StatusOK, sent.want}[i]; response.StatusCode != want {
				t.Errorf("%d bytes of headers: status %d, want %d", len(headers), response.StatusCode, want)
			}
			if _, err := io.Copy(io.Discard, response.Body); err != nil && response.StatusCode == http.StatusOK {
				t.Error(err)
			}
			_ = response.Body.Close()
		}
	}
}
