package fairqueue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
)

// ErrFull is returned if too many requests of a client wait already.
var ErrFull = errors.New("too many requests of this client wait")

// Slots bounds concurrent work, and each client's to its share.
type Slots struct {
	share      int
	maxWaiting int // of a client

	mu      sync.Mutex
	free    int
	taken   map[uuid.UUID]int
	waiting Queue[uuid.UUID, *waiter]
}

type waiter struct {
	client  uuid.UUID
	granted chan struct{} // closed with the slot
}

// NewSlots makes n slots, of which a client takes at most share, while at most maxWaiting
// of its requests wait.
func NewSlots(n, share, maxWaiting int) *Slots {
	return &Slots{free: n, share: share, maxWaiting: maxWaiting, taken: map[uuid.UUID]int{}}
}

// Acquire waits for a slot until ctx is done or for as long as timeout, after which
// the error is context.DeadlineExceeded. Release frees it.
func (s *Slots) Acquire(ctx context.Context, client uuid.UUID, timeout time.Duration) error {
	s.mu.Lock()
	if s.free > 0 && s.taken[client] < s.share { // then no request of the client waits
		s.free--
		s.taken[client]++
		s.mu.Unlock()
		return nil
	}
	if s.waiting.LenOf(client) >= s.maxWaiting {
		s.mu.Unlock()
		return ErrFull
	}
	mine := &waiter{client: client, granted: make(chan struct{})}
	s.waiting.Push(client, mine)
	s.mu.Unlock()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var err error
	select {
	case <-mine.granted:
		return nil
	case <-timer.C:
		err = context.DeadlineExceeded
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-mine.granted: // just now
		return nil
	default:
		s.waiting.Remove(client, func(w *waiter) bool { return w == mine })
		return err
	}
}

// Waiting is how many requests wait.
func (s *Slots) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.Len()
}

// Release frees a client's slot, and gives what is free to waiting clients in rotation.
func (s *Slots) Release(client uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.taken[client]--; s.taken[client] == 0 {
		delete(s.taken, client)
	}
	for s.free > 0 && s.waiting.size > 0 {
		next, found := s.waiting.Pop(func(client uuid.UUID, _ *waiter) bool { return s.taken[client] < s.share })
		if !found {
			return
		}
		s.free--
		s.taken[next.client]++
		close(next.granted)
	}
}
