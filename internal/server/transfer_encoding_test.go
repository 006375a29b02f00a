package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// A proxy and the server could disagree on where a request with Transfer-Encoding
// ends: no second request is read from such a connection, though an agent's message in
// chunks is answered.
func TestRoutes_TransferEncodingEndsTheConnection(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	const agent = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n" +
		"\r\n2e\r\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, c := range []struct {
		request string
		headers string
		status  int
		code    string
		message string
	}{
		{"GET " + interviews + " HTTP/1.1", "Transfer-Encoding: chunked\r\n", 400, "invalid_parameter", "Invalid header"},
		{"GET " + interviews + " HTTP/1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400, "invalid_parameter", "Invalid header"},
		{"GET /api/client/v1/openapi.json HTTP/1.1", "Transfer-Encoding: chunked\r\n", 400, "invalid_parameter", "Invalid header"},
		{"GET /api/client/v1/mcp HTTP/1.1", "Transfer-Encoding: chunked\r\n", 400, "invalid_parameter", "Invalid header"},
		{"POST /api/client/v1/mcp HTTP/1.1", agent, 200, "", ""},
		{"POST " + interviews + " HTTP/1.1", "Transfer-Encoding: chunked\r\n", 405, "method_not_allowed", "method not allowed"},
		// The HTTP library leaves the header out.
		{"GET " + interviews + " HTTP/1.0", "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n", 200, "", ""},
		{"GET " + interviews + " HTTP/1.0", "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n", 200, "", ""},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
		// The second request must not be answered.
		fmt.Fprintf(conn, "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n0\r\n\r\nGET %s HTTP/1.1\r\nHost: x\r\n\r\n",
			c.request, key, c.headers, interviews)
		reader := bufio.NewReader(conn)
		answer, err := http.ReadResponse(reader, nil)
		require.NoError(t, err, c.request)
		var refused struct{ Code, Error string }
		check.NoError(t, json.NewDecoder(answer.Body).Decode(&refused), c.request)
		if answer.StatusCode != c.status || refused.Code != c.code || refused.Error != c.message || !answer.Close {
			t.Errorf("%s with %q: %d %+v, connection closed: %v; want %d %s, %s, and closed",
				c.request, c.headers, answer.StatusCode, refused, answer.Close, c.status, c.code, c.message)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		if more, err := io.ReadAll(reader); len(more) > 0 {
			t.Errorf("%s with %q: after the answer the connection says %.80q (%v), want nothing", c.request, c.headers, more, err)
		}
		_ = conn.Close()
	}
}
