package httpapi

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// arrive has so many requests come at once, in their order, and tells in which order
// they begin and how long after their arrival.
func arrive(a *arrivals, n int) (order []int, after []time.Duration) {
	began := time.Now()
	done := make(chan int, n)
	for i := range n {
		go func() {
			a.await()
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
func TestArrivals_AreSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newArrivals()
		a.each, a.free = 3, 3
		order, after := arrive(a, 12)
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
		if _, after := arrive(a, 3); after[2] != 0 {
			t.Errorf("after a quiet second a request waits %s", after[2])
		}
	})
}

// Only the first request on a connection waits for others, and those after a refusal.
func TestConnections_DelayThoseWithoutAKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := NewConnections()
		known := &trackedConn{closed: make(chan struct{})}
		ctx := all.Context(context.Background(), known)
		all.Track(known, http.StateActive)
		setConnectionKey(ctx, uuid.New())
		all.Track(known, http.StateIdle)
		a := all.arrivals
		a.mu.Lock()
		a.each, a.free = 1, 0
		a.mu.Unlock()
		began := time.Now()
		for range 3 {
			c := &trackedConn{closed: make(chan struct{})}
			all.Context(context.Background(), c)
			go all.Track(c, http.StateActive)
		}
		synctest.Wait()
		a.mu.Lock()
		if n := len(a.waiting); n != 3 {
			t.Errorf("%d requests wait, want 3", n)
		}
		a.mu.Unlock()
		all.Track(known, http.StateActive)
		if took := time.Since(began); took != 0 {
			t.Errorf("a request on a connection with a key waits %s", took)
		}
		time.Sleep(time.Second)
	})
}
