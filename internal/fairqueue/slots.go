package fairqueue

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"
)

// ErrFull is returned to a client of which too many wait already.
var ErrFull = errors.New("too many requests of this client wait")

// Slots lets so much work be under way at once, of each client at most its share.
type Slots struct {
	share      int
	maxWaiting int // of a client

	mu      sync.Mutex
	free    int
	held    map[uuid.UUID]int
	waiting Queue[uuid.UUID, *waiter]
}

type waiter struct {
	client  uuid.UUID
	granted chan struct{} // closed with the slot
}

// NewSlots makes n slots, of which a client holds at most share, while at most
// maxWaiting of its requests wait.
func NewSlots(n, share, maxWaiting int) *Slots {
	return &Slots{free: n, share: share, maxWaiting: maxWaiting, held: map[uuid.UUID]int{}}
}

// Acquire waits for a slot until ctx is done. The caller releases it.
func (s *Slots) Acquire(ctx context.Context, client uuid.UUID) error {
	s.mu.Lock()
	if s.waiting.LenOf(client) >= s.maxWaiting {
		s.mu.Unlock()
		return ErrFull
	}
	mine := &waiter{client: client, granted: make(chan struct{})}
	s.waiting.Push(client, mine)
	s.grant()
	s.mu.Unlock()
	select {
	case <-mine.granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-mine.granted: // just now
		s.release(client)
	default:
		s.waiting.Remove(client, func(w *waiter) bool { return w == mine })
	}
	return ctx.Err()
}

// Waiting is how many wait.
func (s *Slots) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.Len()
}

// Release gives a client's slot back.
func (s *Slots) Release(client uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(client)
}

func (s *Slots) release(client uuid.UUID) {
	s.free++
	if s.held[client]--; s.held[client] == 0 {
		delete(s.held, client)
	}
	s.grant()
}

// grant gives the free slots to those whose turn it is.
func (s *Slots) grant() {
	for s.free > 0 {
		next, found := s.waiting.Pop(func(client uuid.UUID, _ *waiter) bool { return s.held[client] < s.share })
		if !found {
			return
		}
		s.free--
		s.held[next.client]++
		close(next.granted)
	}
}
