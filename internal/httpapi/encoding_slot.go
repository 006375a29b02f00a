package httpapi

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fairqueue"
)

// encodingSlot is the slot in which a request encodes a large result. It may be acquired
// on another goroutine than the one that releases it. Nil needs none.
type encodingSlot struct {
	slots  *fairqueue.Slots
	client uuid.UUID

	mu sync.Mutex
	// isReleased is set for good: the slot is not acquired again.
	isTaken, isReleased bool
}

// acquire waits for the slot, unless it is taken or released.
func (e *encodingSlot) acquire(ctx context.Context) error {
	if e == nil || !e.isFree() {
		return nil
	}
	if err := e.slots.Acquire(ctx, e.client); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isTaken = !e.isReleased; e.isReleased { // while it waited
		e.slots.Release(e.client)
	}
	return nil
}

func (e *encodingSlot) isFree() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.isTaken && !e.isReleased
}

// release releases the slot for good.
func (e *encodingSlot) release() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isTaken {
		e.slots.Release(e.client)
	}
	e.isTaken, e.isReleased = false, true
}

// HasWaitingResults reports whether large results wait to be encoded.
func (s *Server) HasWaitingResults() bool { return s.encoding.Waiting() > 0 }
