package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// An agent that goes away leaves no query running. The library lets calls of the older
// revisions outlive their request.
func TestCall_EndsWithItsRequest(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t, func(s *config.Server) { s.StatementTimeout = 10 * time.Minute })
	key := srv.KeyFor(t, "acme")
	defer srv.Database.Hold(t, "interviews")()
	for _, revision := range revisions[2:] {
		ctx, leave := context.WithCancel(t.Context())
		body := message(revision, "tools/call", `{"name":"list_interviews","arguments":{}}`)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+endpoint, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = form(revision, "tools/call", "list_interviews")
		req.Header.Set("Authorization", "Bearer "+key)
		gone := make(chan error, 1)
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err == nil {
				res.Body.Close()
			}
			gone <- err
		}()
		waitForQueries(t, srv.Database, revision, 1)
		leave()
		if err := <-gone; err == nil {
			t.Errorf("%s: the call was answered while the table was locked", revision)
		}
		waitForQueries(t, srv.Database, revision, 0)
	}
}

// waitForQueries waits until so many of the server's queries wait for a lock.
func waitForQueries(t *testing.T, database *dbtest.Database, revision string, want int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		waiting := database.WaitingReads(t)
		if waiting == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %d queries wait, want %d", revision, waiting, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// An agent that leaves in the middle of a large result has left: the request is not
// logged as answered.
func TestCall_LeftInMidResult(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	turn, _ := json.Marshal([]map[string]string{{"text": strings.Repeat("late delivery. ", 500_000)}})
	seed.Interview(t, "acme", apitest.Fields{"transcript": string(turn)})
	for n := range 2 {
		body := message("2025-11-25", "tools/call", `{"name":"list_interviews","arguments":{}}`)
		conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s", endpoint, key, len(body), body)
		if _, err := io.ReadFull(conn, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
		ended := func() int { return strings.Count(srv.Logs.String(), `"operation":"list_interviews"`) }
		for deadline := time.Now().Add(30 * time.Second); ended() <= n && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if got := strings.Count(srv.Logs.String(), `"operation":"list_interviews","status":499`); got != n+1 {
			t.Errorf("%d of %d requests are logged as left: %s", got, n+1, srv.Logs)
		}
	}
}
