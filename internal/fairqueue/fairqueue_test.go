package fairqueue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fairqueue"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

var greedy, modest = uuid.New(), uuid.New()

func TestQueue_ServesKeysInRotation(t *testing.T) {
	t.Parallel()
	var q fairqueue.Queue[string, int]
	for i := range 3 {
		q.Push("a", i)
	}
	q.Push("b", 10)
	if got, found := q.Pop(func(key string, _ int) bool { return key != "a" }); got != 10 || !found {
		t.Errorf("got %d, want that of b", got)
	}
	for want := range 3 {
		if got, found := q.Pop(nil); got != want || !found {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	if _, found := q.Pop(nil); found || q.Len() != 0 || q.LenOf("a") != 0 {
		t.Errorf("%d are left", q.Len())
	}
}

// A client that holds its share waits, however many slots are free; another does not.
func TestSlots_EachClientHasItsShare(t *testing.T) {
	t.Parallel()
	s := fairqueue.NewSlots(3, 2, 1)
	for range 2 {
		require.NoError(t, s.Acquire(t.Context(), greedy, time.Minute))
	}
	waiting := make(chan error, 1)
	go func() { waiting <- s.Acquire(t.Context(), greedy, time.Minute) }()
	awaitWaiting(t, s, 1)
	if err := s.Acquire(t.Context(), greedy, time.Minute); !errors.Is(err, fairqueue.ErrFull) {
		t.Errorf("one more that waits: %v, want it refused", err)
	}
	check.NoError(t, s.Acquire(t.Context(), modest, time.Minute), "a client that holds nothing")
	s.Release(modest)
	select {
	case err := <-waiting:
		t.Errorf("a client got more than its share: %v", err)
	default:
	}
	s.Release(greedy)
	check.NoError(t, <-waiting)
	s.Release(greedy)
	s.Release(greedy)
	for range 2 {
		check.NoError(t, s.Acquire(t.Context(), modest, time.Minute), "a slot did not come back")
	}
}

// A request that no longer waits makes its place free for another of its client.
func TestSlots_CancelledWaitersAreRemoved(t *testing.T) {
	t.Parallel()
	s := fairqueue.NewSlots(1, 1, 1)
	require.NoError(t, s.Acquire(t.Context(), greedy, time.Minute))
	for range 3 {
		left, leave := context.WithCancel(t.Context())
		leave()
		if err := s.Acquire(left, greedy, time.Minute); !errors.Is(err, context.Canceled) {
			t.Errorf("a request that left: %v", err)
		}
	}
	check.Equal(t, s.Waiting(), 0, "waiting that have left")
}

// A request that waited in vain leaves the queue, and takes no slot that becomes free later.
func TestSlots_WaitsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fairqueue.NewSlots(1, 1, 10)
		require.NoError(t, s.Acquire(t.Context(), greedy, time.Second))
		began := time.Now()
		err := s.Acquire(t.Context(), modest, time.Second)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			t.Errorf("%v after %s, want the deadline's error after a second", err, took)
		}
		check.Equal(t, s.Waiting(), 0, "waiting that have left")
		s.Release(greedy)
		check.NoError(t, s.Acquire(t.Context(), greedy, time.Second), "the free slot")
	})
}

func awaitWaiting(t *testing.T, s *fairqueue.Slots, n int) {
	t.Helper()
	for range 10_000 {
		if s.Waiting() >= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d wait, want %d", s.Waiting(), n)
}

// Waiting clients get slots in rotation.
func TestSlots_ServeClientsInRotation(t *testing.T) {
	t.Parallel()
	s := fairqueue.NewSlots(1, 1, 10)
	require.NoError(t, s.Acquire(t.Context(), greedy, time.Minute))
	order := make(chan uuid.UUID, 4)
	for i, client := range []uuid.UUID{greedy, greedy, modest} {
		go func() {
			if err := s.Acquire(t.Context(), client, time.Minute); err == nil {
				order <- client
			}
		}()
		awaitWaiting(t, s, i+1)
	}
	var got []uuid.UUID
	last := greedy
	for range 3 {
		s.Release(last)
		last = <-order
		got = append(got, last)
	}
	if got[0] != greedy || got[1] != modest || got[2] != greedy {
		t.Errorf("the slots went to %v", got)
	}
}
