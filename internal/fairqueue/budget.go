package fairqueue

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// Budget bounds the bytes that all clients hold at once, and of those each client's
// share.
type Budget struct {
	total, share int64

	mu    sync.Mutex
	taken int64
	by    map[uuid.UUID]int64
	// released is closed when something was given back that is waited for; nil:
	// nothing waits.
	released chan struct{}
}

// NewBudget makes a budget.
func NewBudget(total, share int64) *Budget {
	return &Budget{total: total, share: share, by: map[uuid.UUID]int64{}}
}

// Reserve takes n for a client and tells whether it fits. What is more than a
// share is given to a client that holds nothing.
func (b *Budget) Reserve(client uuid.UUID, n int64) bool { return b.reserve(client, 0, n) }

// reserve takes n more for a client's holder of own.
func (b *Budget) reserve(client uuid.UUID, own, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.exceedsShare(client, own, n) || b.taken > own && b.taken+n > b.total {
		return false
	}
	b.by[client] += n
	b.taken += n
	return true
}

// Release gives n of a client's back.
func (b *Budget) Release(client uuid.UUID, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken -= n
	if b.by[client] -= n; b.by[client] <= 0 {
		delete(b.by, client)
	}
	if b.released != nil {
		close(b.released)
		b.released = nil
	}
}

// Full tells whether n more of a client's would not fit its share.
func (b *Budget) Full(client uuid.UUID, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.exceedsShare(client, 0, n)
}

func (b *Budget) exceedsShare(client uuid.UUID, own, n int64) bool {
	held := b.by[client]
	return held > own && held+n > b.share
}

// nextRelease is closed when something is given back.
func (b *Budget) nextRelease() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.released == nil {
		b.released = make(chan struct{})
	}
	return b.released
}

// Reservation is what one answer holds of a budget, as much as it has grown to. It
// is not safe for concurrent use.
type Reservation struct {
	budget *Budget
	client uuid.UUID
	held   int64
}

// reservationStep is what an answer reserves at a time, from the second such part on:
// one that grows in small pieces seldom touches the budget, and a small one never.
const reservationStep = 64 << 10

// NewReservation makes one that holds nothing. A nil one bounds nothing.
func (b *Budget) NewReservation(client uuid.UUID) *Reservation {
	return &Reservation{budget: b, client: client}
}

// Grow reserves what an answer of n bytes needs, and tells whether that fits. It
// keeps what it holds in any case.
func (r *Reservation) Grow(n int64) bool {
	want := (n - 1) / reservationStep * reservationStep
	if r == nil || want <= r.held {
		return true
	}
	if !r.budget.reserve(r.client, r.held, want-r.held) {
		return false
	}
	r.held = want
	return true
}

// Await is Grow that waits until it fits or ctx is done.
func (r *Reservation) Await(ctx context.Context, n int64) error {
	for r != nil {
		released := r.budget.nextRelease() // before the attempt: what is given back after it is noticed
		if r.Grow(n) {
			return nil
		}
		select {
		case <-released:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Release gives all of it back.
func (r *Reservation) Release() {
	if r.held > 0 {
		r.budget.Release(r.client, r.held)
		r.held = 0
	}
}
