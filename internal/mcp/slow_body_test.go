package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// begin sends the head of a request and the first bytes of its body.
func begin(t *testing.T, srv *apitest.Server, key string, length int, first string) net.Conn {
	t.Helper()
	conn := sendHead(t, srv, key, fmt.Sprintf("Content-Length: %d\r\n", length))
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, first); err != nil {
		t.Fatal(err)
	}
	return conn
}

// answerTo reads an answer's status, 0 if none comes in time.
func answerTo(conn net.Conn, within time.Duration) int {
	_ = conn.SetReadDeadline(time.Now().Add(within))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.StatusCode
}

// await waits until something has happened.
func await(t *testing.T, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it has not happened in 20 s")
		}
	}
}

// While a known caller's message comes nothing is held for it: it is admitted when it is
// there, as the key is then.
func TestCall_AMessageIsAdmittedWhenItIsWhole(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	key := srv.Issue(t, apikey.Request{Client: "acme", Name: "slow"})
	a := agent{srv, key.Key, "2025-11-25"}
	a.send(t, "tools/list", "", "").WantStatus(t, http.StatusOK) // it is known now
	const callers = 20
	var slow []net.Conn
	for range callers {
		slow = append(slow, begin(t, srv, key.Key, len(listTools), listTools[:10]))
	}
	a.send(t, "tools/list", "", "").WantStatus(t, http.StatusOK)
	if got := countRows(t, seed, key.ID.String()); got != 2 {
		t.Errorf("%d requests are counted while messages come, want 2", got)
	}
	for n, conn := range slow {
		if n == callers/2 {
			srv.WithKeys(t, func(r *apikey.Registry) error { _, err := r.Revoke(t.Context(), key.Prefix); return err })
		}
		if _, err := io.WriteString(conn, listTools[10:]); err != nil {
			t.Fatal(err)
		}
		want := http.StatusOK
		if n >= callers/2 {
			want = http.StatusUnauthorized
		}
		if got := answerTo(conn, time.Minute); got != want {
			t.Errorf("message %d is answered with %d, want %d", n, got, want)
		}
	}
}

// Callers that leave before they are admitted are neither counted nor answered.
func TestCall_CallersThatLeaveAreNotCounted(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	key := srv.Issue(t, apikey.Request{Client: "acme", Name: "leaving"})
	a := agent{srv, key.Key, "2025-11-25"}
	call := func() int {
		return a.send(t, "tools/call", "", `{"name":"list_interviews","arguments":{}}`).Status
	}
	if got := call(); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	conn, err := pgx.Connect(t.Context(), srv.Database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Admission waits for it.
	if _, err := tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock(hashtextextended($1, 600))", key.Prefix); err != nil {
		t.Fatal(err)
	}
	first := make(chan int, 1)
	go func() { first <- call() }()
	await(t, func() bool {
		var waiting int
		seed.Query(t, &waiting, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
		return waiting == 1
	})
	body := message("2025-11-25", "tools/call", `{"name":"list_interviews","arguments":{}}`)
	const callers = 5
	for range callers {
		_ = begin(t, srv, key.Key, len(body), body).Close()
	}
	await(t, func() bool { return strings.Count(srv.Logs.String(), `"status":499`) == callers })
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-first; got != http.StatusOK {
		t.Errorf("who stayed is answered with %d", got)
	}
	if got := countRows(t, seed, key.ID.String()); got != 2 {
		t.Errorf("%d requests are counted, want 2", got)
	}
}

// What large messages hold while they come is bounded for each client.
func TestMalformed_LargeMessagesHaveAShare(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	flooding, other := srv.KeyFor(t, "acme"), srv.KeyFor(t, "globex")
	const size, callers, most = 1 << 20, 40, 26
	half := strings.Repeat(" ", size/2)
	var refused atomic.Int32
	for range callers {
		conn := begin(t, srv, flooding, size, half)
		go func() {
			if answerTo(conn, time.Minute) == http.StatusServiceUnavailable {
				refused.Add(1)
			}
		}()
	}
	await(t, func() bool { return refused.Load() >= callers-most })
	if got := answerTo(begin(t, srv, other, size, listTools+strings.Repeat(" ", size-len(listTools))), time.Minute); got != http.StatusOK {
		t.Errorf("another client's is answered with %d", got)
	}
}

// A reset in mid-body is logged without the addresses of the connection.
func TestMalformed_NoAddressIsLogged(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	key := srv.Issue(t, apikey.Request{Client: "acme", Name: "resetting"})
	conn := begin(t, srv, key.Key, len(listTools), listTools[:10])
	await(t, func() bool { return countRows(t, seed, key.ID.String()) == 1 }) // its body is read now
	if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	await(t, func() bool { return strings.Contains(srv.Logs.String(), `"status":499`) })
	if line := srv.Logs.String(); !strings.Contains(line, "reset by peer") || strings.Contains(line, "127.0.0.1") {
		t.Errorf("the log says %s, want the reset and no address", line)
	}
}
