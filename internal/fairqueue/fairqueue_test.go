package fairqueue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fairqueue"
)

var greedy, modest = uuid.New(), uuid.New()

func TestQueue_ServesKeysInRotation(t *testing.T) {
	t.Parallel()
	var q fairqueue.Queue[string, int]
	for i := range 3 {
		q.Push("a", i)
	}
	q.Push("b", 10)
	if got := q.Before("a"); got != 4 {
		t.Errorf("%d come before another a, want 4", got)
	}
	if got := q.Before("b"); got != 3 {
		t.Errorf("%d come before another b, want 3", got)
	}
	if got := q.Before("c"); got != 2 {
		t.Errorf("%d come before a first c, want 2", got)
	}
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

// A batch takes one key's items, in their order, up to the first that is not meant;
// the key and the others keep their places.
func TestQueue_PopOfTakesFromOneKey(t *testing.T) {
	t.Parallel()
	var q fairqueue.Queue[string, int]
	for _, item := range []int{2, 4, 5, 6} {
		q.Push("a", item)
	}
	q.Push("b", 8)
	even := func(n int) bool { return n%2 == 0 }
	for _, want := range []int{2, 4} {
		if got, found := q.PopOf("a", even); got != want || !found {
			t.Errorf("got %d, %t, want %d", got, found, want)
		}
	}
	if got, found := q.PopOf("a", even); found {
		t.Errorf("got %d from behind an odd one", got)
	}
	if got, found := q.PopOf("c", even); found {
		t.Errorf("got %d of a key without items", got)
	}
	if got, found := q.PopOf("b", even); got != 8 || !found || q.LenOf("b") != 0 {
		t.Errorf("got %d, %t, want 8", got, found)
	}
	for _, want := range []int{5, 6} {
		if got, found := q.Pop(nil); got != want || !found {
			t.Errorf("got %d, %t, want %d", got, found, want)
		}
	}
	if _, found := q.Pop(nil); found || q.Len() != 0 {
		t.Errorf("%d are left", q.Len())
	}
}

// A client that holds its share waits, however many slots are free; another does not.
func TestSlots_EachClientHasItsShare(t *testing.T) {
	t.Parallel()
	s := fairqueue.NewSlots(3, 2, 1)
	for range 2 {
		if err := s.Acquire(t.Context(), greedy); err != nil {
			t.Fatal(err)
		}
	}
	waiting := make(chan error, 1)
	go func() { waiting <- s.Acquire(t.Context(), greedy) }()
	awaitWaiting(t, s, 1)
	if err := s.Acquire(t.Context(), greedy); !errors.Is(err, fairqueue.ErrFull) {
		t.Errorf("one more that waits: %v, want it refused", err)
	}
	if err := s.Acquire(t.Context(), modest); err != nil {
		t.Errorf("a client that holds nothing: %v", err)
	}
	s.Release(modest)
	select {
	case err := <-waiting:
		t.Errorf("a client got more than its share: %v", err)
	default:
	}
	s.Release(greedy)
	if err := <-waiting; err != nil {
		t.Error(err)
	}
	s.Release(greedy)
	s.Release(greedy)
	for range 2 {
		if err := s.Acquire(t.Context(), modest); err != nil {
			t.Errorf("a slot did not come back: %v", err)
		}
	}
}

// A request that no longer waits makes its place free for another of its client.
func TestSlots_CancelledWaitersAreRemoved(t *testing.T) {
	t.Parallel()
	s := fairqueue.NewSlots(1, 1, 1)
	if err := s.Acquire(t.Context(), greedy); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		left, leave := context.WithCancel(t.Context())
		leave()
		if err := s.Acquire(left, greedy); !errors.Is(err, context.Canceled) {
			t.Errorf("a request that left: %v", err)
		}
	}
	if s.Waiting() != 0 {
		t.Errorf("%d wait that have left", s.Waiting())
	}
}

// A request that waited in vain leaves the queue, and takes no slot that becomes free later.
func TestSlots_WaitsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fairqueue.NewSlots(1, 1, 10)
		if err := s.AcquireWithin(t.Context(), greedy, time.Second); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		err := s.AcquireWithin(t.Context(), modest, time.Second)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			t.Errorf("%v after %s, want the deadline's error after a second", err, took)
		}
		if s.Waiting() != 0 {
			t.Errorf("%d wait that have left", s.Waiting())
		}
		s.Release(greedy)
		if err := s.AcquireWithin(t.Context(), greedy, time.Second); err != nil {
			t.Errorf("the free slot: %v", err)
		}
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
	if err := s.Acquire(t.Context(), greedy); err != nil {
		t.Fatal(err)
	}
	order := make(chan uuid.UUID, 4)
	for i, client := range []uuid.UUID{greedy, greedy, modest} {
		go func() {
			if err := s.Acquire(t.Context(), client); err == nil {
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

// A reservation grows past a share while its client holds nothing else, and only then.
func TestReservation_Grows(t *testing.T) {
	t.Parallel()
	const unit = 64 << 10
	b := fairqueue.NewBudget(10*unit, 6*unit)
	first, second, others := b.NewReservation(greedy), b.NewReservation(greedy), b.NewReservation(modest)
	if !first.Grow(unit) || b.Full(greedy, 100*unit) {
		t.Error("a small answer reserves something")
	}
	if !first.Grow(5*unit) || !second.Grow(3*unit) || second.Grow(3*unit+1) {
		t.Error("two answers of a client do not keep to its share")
	}
	if first.Grow(6 * unit) {
		t.Error("an answer grows beyond the share beside another one of its client")
	}
	second.Release()
	if !first.Grow(7*unit) || !others.Grow(5*unit) || first.Grow(8*unit) {
		t.Error("an answer does not grow up to the total, or beyond it")
	}
	others.Release()
	if !first.Grow(20 * unit) {
		t.Error("what is larger than everything can never be had")
	}
	first.Release()
	if !b.Reserve(modest, 6*unit) || !b.Reserve(greedy, 4*unit) {
		t.Error("something is still taken when everything was given back")
	}
}

// A reservation that waits for space continues when space is released.
func TestReservation_Awaits(t *testing.T) {
	t.Parallel()
	const unit = 64 << 10
	b := fairqueue.NewBudget(4*unit, 4*unit)
	held, waits := b.NewReservation(greedy), b.NewReservation(greedy)
	if !held.Grow(4 * unit) {
		t.Fatal("an empty budget has no space")
	}
	leaving, leave := context.WithCancel(t.Context())
	leave()
	if err := waits.Await(leaving, 3*unit); !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- waits.Await(t.Context(), 3*unit) }()
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(10 * time.Millisecond):
	}
	held.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestBudget_EachClientHasItsShare(t *testing.T) {
	t.Parallel()
	b := fairqueue.NewBudget(10, 6)
	if !b.Reserve(greedy, 4) || b.Reserve(greedy, 3) || !b.Full(greedy, 3) || b.Full(greedy, 2) {
		t.Error("a client's share does not hold")
	}
	if !b.Reserve(modest, 6) || b.Reserve(uuid.New(), 1) {
		t.Error("the total does not hold")
	}
	b.Release(modest, 6)
	if !b.Reserve(modest, 1) || !b.Reserve(greedy, 2) {
		t.Error("what was given back cannot be had")
	}
	b.Release(greedy, 6)
	b.Release(modest, 1)
	if !b.Reserve(modest, 100) {
		t.Error("what is larger than everything can never be had")
	}
}
