package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// A caller that leaves before its response is no error of the server's, however it
// leaves and whatever its request waits for: 499 in the log, at level INFO, and in
// the request log.
func TestAccessLog_CallersThatLeaveAreNoErrors(t *testing.T) {
	t.Parallel()
	leaving := map[string]func(*testing.T, *net.TCPConn){
		"reset": func(t *testing.T, conn *net.TCPConn) {
			require.NoError(t, conn.SetLinger(0))
			_ = conn.Close()
		},
		"closed": func(_ *testing.T, conn *net.TCPConn) { _ = conn.Close() },
		"half-closed": func(t *testing.T, conn *net.TCPConn) {
			_ = conn.CloseWrite()
			if got, err := io.ReadAll(conn); len(got) > 0 {
				t.Errorf("a half-closed connection was answered %q, %v", got, err)
			}
			_ = conn.Close()
		},
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_interviews","arguments":{}}}`
	requests := map[string]string{
		"interviews": "GET " + interviews + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
		"analytics":  "GET " + analyticsPath + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
		"search":     "GET " + searchPath + "?q=x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
		"mcp": "POST /api/client/v1/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n" +
			"Accept: application/json, text/event-stream\r\nContent-Length: " + fmt.Sprint(len(call)) + "\r\n\r\n" + call,
	}
	for _, waitsFor := range []string{"interviews", "api_keys"} { // reading; admission
		t.Run(waitsFor, func(t *testing.T) {
			t.Parallel()
			srv, _ := apitest.Start(t, func(s *config.Server) { s.StatementTimeout = time.Minute })
			sent := 0
			for how, leave := range leaving {
				for name, request := range requests {
					if name == "mcp" && waitsFor == "api_keys" { // its body is read once it is admitted, and its end seen then
						if how != "reset" {
							continue
						}
						request = request[:len(request)-1]
					}
					sent++
					// A key that was admitted before could be read for speculatively.
					issued := srv.Issue(t, keyRequest("acme"))
					unlock := srv.Database.Hold(t, waitsFor)
					conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
					require.NoError(t, err)
					before := strings.Count(srv.Logs.String(), `"status":499`)
					fmt.Fprintf(conn, request, issued.Key)
					dbtest.Await(t, how+", "+name+": the request to wait", func() bool { return srv.Database.WaitingReads(t) > 0 })
					left := make(chan struct{})
					go func() { defer close(left); leave(t, conn.(*net.TCPConn)) }()
					if waitsFor == "api_keys" {
						time.Sleep(300 * time.Millisecond) // the request is to be counted after its caller left
						unlock()
					}
					dbtest.Await(t, how+", "+name+": a line with status 499", func() bool {
						return strings.Count(srv.Logs.String(), `"status":499`) == before+1
					})
					<-left
					unlock()
				}
			}
			for line := range strings.Lines(srv.Logs.String()) {
				var logged struct {
					Level, Msg string
					Status     int
				}
				require.NoError(t, json.Unmarshal([]byte(line), &logged))
				if logged.Level == "ERROR" || logged.Msg == "request" && logged.Status != 499 {
					t.Errorf("logged %s", line)
				}
			}
		})
	}
}
