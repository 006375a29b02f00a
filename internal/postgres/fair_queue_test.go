package postgres

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// As many as can be served within the longest wait may wait, and no more.
func TestFairQueue_RefusesWhoWouldWaitTooLong(t *testing.T) {
	t.Parallel()
	l := newFairQueue(4, 2*time.Second)
	l.meanHeld = time.Second // four a second
	client := uuid.New()
	joined := 0
	for range 100 {
		if _, err := l.enqueue(client, nil); err == nil {
			joined++
		}
	}
	if want := 4 + 2*4; joined != want || l.refusals() != int64(100-want) {
		t.Errorf("%d joined, %d were refused; want %d of 100", joined, l.refusals(), want)
	}
	// Another client's turn is the next but one, whoever waits.
	if _, err := l.enqueue(uuid.New(), nil); err != nil {
		t.Errorf("another client is refused: %v", err)
	}
}

// Whoever finds a free connection is never refused, however slow the last ones
// were; and a line that has grown quick again is open again.
func TestFairQueue_AcceptsAgain(t *testing.T) {
	t.Parallel()
	l := newFairQueue(1, time.Second)
	client := uuid.New()
	for range 50 {
		if err := l.acquire(t.Context(), client); err != nil {
			t.Fatal("refused although a connection is free")
		}
		l.release(time.Minute, 1)
	}
	_ = l.acquire(t.Context(), client)
	if err := l.acquire(t.Context(), client); err == nil {
		t.Error("a second may wait for one that takes a minute")
	}
	l.release(time.Millisecond, 1)
	for range 100 {
		_ = l.acquire(t.Context(), client)
		l.release(time.Millisecond, 1)
	}
	_ = l.acquire(t.Context(), client)
	if mine, err := l.enqueue(client, nil); err != nil || mine == nil {
		t.Errorf("the line stays shut: %v", err)
	}
}

// One client's hundred requests cost another client one turn.
func TestFairQueue_ClientsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newFairQueue(2, time.Hour)
		greedy, modest := uuid.New(), uuid.New()
		var all sync.WaitGroup
		use := func(client uuid.UUID, waited *time.Duration) {
			began := time.Now()
			if err := l.acquire(t.Context(), client); err != nil {
				t.Error(err)
				return
			}
			*waited = time.Since(began)
			time.Sleep(time.Second)
			l.release(time.Second, 1)
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
			t.Errorf("the other client waited %s, want one turn", waited)
		}
		if l.free != 2 || l.waiting != 0 || len(l.byClient) != 0 || len(l.clients) != 0 {
			t.Errorf("%d places are free, %d wait", l.free, l.waiting)
		}
	})
}

// Who leaves the line while waiting takes nobody's place along.
func TestFairQueue_LosesNoConnection(t *testing.T) {
	t.Parallel()
	l := newFairQueue(3, time.Minute)
	clients := []uuid.UUID{uuid.New(), uuid.New()}
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Millisecond)
			defer cancel()
			if l.acquire(ctx, clients[i%2]) == nil {
				time.Sleep(time.Millisecond)
				l.release(time.Millisecond, 1)
			}
		})
	}
	all.Wait()
	// Turns of those who left are passed over by the next who leaves.
	_ = l.acquire(t.Context(), clients[0])
	l.release(0, 1)
	if l.free != 3 || l.waiting != 0 || len(l.byClient) != 0 || len(l.clients) != 0 {
		t.Errorf("%d places are free, want 3; %d wait, %d turns", l.free, l.waiting, len(l.clients))
	}
}
