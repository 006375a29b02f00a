package httpapi

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// arrive makes n requests arrive at once, in their order, and returns the order in which
// they begin and how long after their arrival.
func arrive(p *readPacer, n int) (order []int, after []time.Duration) {
	began := time.Now()
	done := make(chan int, n)
	for i := range n {
		go func() {
			p.await()
			done <- i
		}()
		synctest.Wait()
	}
	for range n {
		order = append(order, <-done)
		after = append(after, time.Since(began))
		synctest.Wait()
	}
	return order, after
}

// So many requests begin in an interval, the newest first, and now and then the oldest.
func TestReadPacer_SpreadsReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newReadPacer()
		p.perInterval, p.free = 3, 3
		order, after := arrive(p, 12)
		began := map[int]time.Duration{}
		for i, request := range order {
			began[request] = after[i]
		}
		const ms = time.Millisecond
		for request, want := range []time.Duration{0, 0, 0, ms, 2 * ms, 3 * ms, 3 * ms, 3 * ms, 2 * ms, 2 * ms, ms, ms} {
			if began[request] != want {
				t.Errorf("request %d begins after %s, want %s", request, began[request], want)
			}
		}
		time.Sleep(time.Second)
		if _, after := arrive(p, 3); after[2] != 0 {
			t.Errorf("after a quiet second a request waits %s", after[2])
		}
	})
}

// talkingConn has something to read at any time.
type talkingConn struct{ net.Conn }

func (talkingConn) Read(b []byte) (int, error) { return len(b), nil }

func (talkingConn) SetWriteDeadline(time.Time) error { return nil }

// talkers accepts such connections.
type talkers struct{ net.Listener }

func (talkers) Accept() (net.Conn, error) { return talkingConn{}, nil }

// Reads on a connection are paced until a request was admitted on it, and large heads
// after that too.
func TestConnections_DelayThoseWithoutAKey(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			all := NewConnections()
			var config *tls.Config
			if secure {
				config = &tls.Config{}
			}
			listener := all.Listen(talkers{}, config)
			// accept returns what is read of a connection that is no longer new, below TLS,
			// and its context.
			accept := func() (net.Conn, context.Context) {
				conn, err := listener.Accept()
				if err != nil {
					t.Fatal(err)
				}
				ctx := all.Context(context.Background(), conn)
				all.Track(conn, http.StateIdle)
				return conn.(*headerLimitConn).paced, ctx
			}
			keyed, ctx := accept()
			setConnectionKey(ctx, uuid.New())
			p := all.pacer
			p.mu.Lock()
			p.perInterval, p.free = 1, 0
			p.mu.Unlock()
			began := time.Now()
			for range 3 {
				conn, _ := accept()
				go func() { _, _ = conn.Read(make([]byte, 1)) }()
			}
			large, ctx := accept()
			setConnectionKey(ctx, uuid.New())
			go func() { _, _ = large.Read(make([]byte, headPiece)) }()
			synctest.Wait()
			p.mu.Lock()
			if n := len(p.waiting); n != 4 {
				t.Errorf("%d connections wait, want 4", n)
			}
			p.mu.Unlock()
			if !all.expectsRequests() {
				t.Error("a request that waits is not waited for when the server stops")
			}
			if _, err := keyed.Read(make([]byte, 1)); err != nil || time.Since(began) != 0 {
				t.Errorf("a connection with a key waits %s (%v)", time.Since(began), err)
			}
			time.Sleep(2 * newConnectionSilence)
			if all.expectsRequests() {
				t.Error("released requests are waited for")
			}
		})
	}
}
