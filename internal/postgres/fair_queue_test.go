package postgres

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// acquire waits for a connection without a query.
func acquire(ctx context.Context, f *fairQueue, client uuid.UUID) error {
	_, _, err := f.acquire(ctx, client, nil)
	return err
}

// Only as many requests wait as can be served within the longest wait.
func TestFairQueue_RefusesWhatWouldWaitTooLong(t *testing.T) {
	t.Parallel()
	f := newFairQueue(4, 2*time.Second)
	f.meanHeld = time.Second // four a second
	client := uuid.New()
	joined := 0
	for range 100 {
		if _, err := f.enqueue(client, nil); err == nil {
			joined++
		}
	}
	if want := 4 + 2*4; joined != want || f.refusals() != int64(100-want) {
		t.Errorf("%d joined, %d were refused; want %d of 100", joined, f.refusals(), want)
	}
	// Another client is served after the next one, however many wait.
	if _, err := f.enqueue(uuid.New(), nil); err != nil {
		t.Errorf("another client is refused: %v", err)
	}
}

// A free connection is always given out, however slow the last queries were. A queue
// that has become fast again accepts requests again.
func TestFairQueue_AcceptsAgain(t *testing.T) {
	t.Parallel()
	f := newFairQueue(1, time.Second)
	client := uuid.New()
	for range 50 {
		if err := acquire(t.Context(), f, client); err != nil {
			t.Fatal("refused although a connection is free")
		}
		f.release(client, time.Minute, 0)
	}
	_ = acquire(t.Context(), f, client)
	if _, err := f.enqueue(client, nil); err != nil {
		t.Errorf("the first to wait is refused: %v", err)
	}
	if err := acquire(t.Context(), f, client); err == nil {
		t.Error("another may wait for one that takes a minute")
	}
	f.release(client, time.Millisecond, 0) // to the first
	f.release(client, time.Millisecond, 0)
	for range 100 {
		_ = acquire(t.Context(), f, client)
		f.release(client, time.Millisecond, 0)
	}
	_ = acquire(t.Context(), f, client)
	if w, err := f.enqueue(client, nil); err != nil || w == nil {
		t.Errorf("the queue still refuses: %v", err)
	}
}

// One client's hundred requests delay another client by one request.
func TestFairQueue_ServesClientsInRotation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFairQueue(2, time.Hour)
		greedy, modest := uuid.New(), uuid.New()
		var all sync.WaitGroup
		use := func(client uuid.UUID, waited *time.Duration) {
			began := time.Now()
			if err := acquire(t.Context(), f, client); err != nil {
				t.Error(err)
				return
			}
			*waited = time.Since(began)
			time.Sleep(time.Second)
			f.release(client, time.Second, 0)
		}
		var ignored [100]time.Duration
		for i := range ignored {
			all.Go(func() { use(greedy, &ignored[i]) })
		}
		synctest.Wait()
		var waited time.Duration
		all.Go(func() { use(modest, &waited) })
		all.Wait()
		if waited > time.Second {
			t.Errorf("the other client waited %s, want one second", waited)
		}
		if f.free != 2 || f.waiting.Len() != 0 {
			t.Errorf("%d connections are free, %d wait", f.free, f.waiting.Len())
		}
	})
}

// While others ask, a client leaves half of the connections to them; a client that is
// alone has all.
func TestFairQueue_LeavesConnectionsToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFairQueue(4, time.Hour)
		greedy, modest := uuid.New(), uuid.New()
		at := func(client uuid.UUID) bool {
			w, err := f.enqueue(client, nil)
			return err == nil && w == nil
		}
		if !at(uuid.Nil) { // the server's own probe
			t.Error("a probe waits")
		}
		f.release(uuid.Nil, time.Second, 0)
		for n := range 4 {
			if !at(greedy) {
				t.Errorf("alone, a client waits for number %d", n+1)
			}
		}
		if at(greedy) {
			t.Error("there are more connections than there are")
		}
		if at(modest) { // waits, and is next
			t.Error("a connection is granted that is none")
		}
		for range 3 {
			f.release(greedy, time.Second, 0)
		}
		if f.held[modest] != 1 || f.held[greedy] != 2 || f.free != 1 {
			t.Errorf("%d of the one, %d of the other, %d free; want 1, 2, 1", f.held[modest], f.held[greedy], f.free)
		}
		if at(greedy) {
			t.Error("the free one is not left to others")
		}
		if !at(modest) {
			t.Error("no connection was left")
		}
		f.release(modest, time.Second, 0)
		f.release(modest, time.Second, 0)
		time.Sleep(othersAskFor + time.Second)
		for range 2 {
			if !at(greedy) {
				t.Error("a connection is left to a client that no longer asks")
			}
		}
	})
}

// A few requests of a client are not refused for the time that others take.
func TestFairQueue_TheFirstToWaitAreNotRefused(t *testing.T) {
	t.Parallel()
	f := newFairQueue(4, 2*time.Second)
	f.meanHeld = time.Minute
	greedy, modest := uuid.New(), uuid.New()
	for range 100 {
		_, _ = f.enqueue(greedy, nil)
	}
	for range 4 {
		if _, err := f.enqueue(modest, nil); err != nil {
			t.Errorf("another client is refused: %v", err)
		}
	}
}

// A request that is cancelled while it waits loses no connection.
func TestFairQueue_LosesNoConnection(t *testing.T) {
	t.Parallel()
	f := newFairQueue(3, time.Minute)
	clients := []uuid.UUID{uuid.New(), uuid.New()}
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Millisecond)
			defer cancel()
			if acquire(ctx, f, clients[i%2]) == nil {
				time.Sleep(time.Millisecond)
				f.release(clients[i%2], time.Millisecond, 0)
			}
		})
	}
	all.Wait()
	if f.free != 3 || f.waiting.Len() != 0 {
		t.Errorf("%d connections are free, want 3; %d wait", f.free, f.waiting.Len())
	}
}

// A client's queries that can share a snapshot run in a few batches at a time: what comes
// while they run waits for the next one, though connections are free. What needs a connection
// of its own, and other clients, do not.
func TestFairQueue_ClientsRunAFewBatches(t *testing.T) {
	t.Parallel()
	f := newFairQueue(4, time.Hour)
	client := uuid.New()
	query := func() *batchedQuery { return &batchedQuery{result: make(chan error, 1)} }
	for range 2 {
		if w, err := f.enqueue(client, query()); w != nil || err != nil {
			t.Fatalf("a first batch waits (%v)", err)
		}
	}
	var waiters []*waiter
	for range 5 {
		w, err := f.enqueue(client, query())
		if w == nil || err != nil {
			t.Fatalf("a third batch begins (%v)", err)
		}
		waiters = append(waiters, w)
	}
	if w, err := f.enqueue(client, nil); w != nil || err != nil {
		t.Errorf("what runs alone waits (%v)", err)
	}
	f.release(client, time.Second, 0)
	if w, err := f.enqueue(uuid.New(), query()); w != nil || err != nil {
		t.Errorf("another client's query waits (%v)", err)
	}
	if f.waiting.Len() != 5 {
		t.Fatalf("%d wait, want 5", f.waiting.Len())
	}
	f.release(client, time.Second, 1)
	select {
	case <-waiters[0].granted:
	default:
		t.Fatal("the next batch does not begin where one ended")
	}
	// Three of five: the rest is the other batch's.
	if n := 1 + len(waiters[0].batched); n != 3 {
		t.Errorf("the next batch has %d queries, want 3", n)
	}
	f.release(client, time.Second, 3)
	f.release(client, time.Second, 1)
	if f.waiting.Len() != 0 || f.batches[client] != 2 {
		t.Errorf("%d wait, %d batches run; want 0, 2", f.waiting.Len(), f.batches[client])
	}
}
