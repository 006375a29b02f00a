package fairqueue

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// Budget bounds the bytes that all clients have reserved, and each client's share of them.
type Budget struct {
	total, share int64

	mu    sync.Mutex
	taken int64
	by    map[uuid.UUID]int64
	// released is closed at the next release; nil: nothing waits for one.
	released chan struct{}
}

// NewBudget makes a budget.
func NewBudget(total, share int64) *Budget {
	return &Budget{total: total, share: share, by: map[uuid.UUID]int64{}}
}

// Reserve reserves n for a client and reports whether that fits. More than a share fits
// for a client that has reserved nothing.
func (b *Budget) Reserve(client uuid.UUID, n int64) bool { return b.reserve(client, 0, n) }

// reserve reserves n more for a reservation of own.
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

// Release releases n of a client's bytes.
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

// Full reports whether n more would exceed a client's share.
func (b *Budget) Full(client uuid.UUID, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.exceedsShare(client, 0, n)
}

func (b *Budget) exceedsShare(client uuid.UUID, own, n int64) bool {
	reserved := b.by[client]
	return reserved > own && reserved+n > b.share
}

// nextRelease is closed when bytes are released.
func (b *Budget) nextRelease() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.released == nil {
		b.released = make(chan struct{})
	}
	return b.released
}

// Reservation is what one response has reserved of a budget. It is not safe for concurrent
// use.
type Reservation struct {
	budget *Budget
	client uuid.UUID
	size   int64
}

// reservationStep is how much a response reserves at a time, from its second step on: one
// that grows in small pieces seldom locks the budget, and a small one never.
const reservationStep = 64 << 10

// NewReservation makes an empty reservation. A nil one bounds nothing.
func (b *Budget) NewReservation(client uuid.UUID) *Reservation {
	return &Reservation{budget: b, client: client}
}

// Grow reserves what a response of n bytes needs, and reports whether that fits. It keeps
// what it has reserved in any case.
func (r *Reservation) Grow(n int64) bool {
	want := (n - 1) / reservationStep * reservationStep
	if r == nil || want <= r.size {
		return true
	}
	if !r.budget.reserve(r.client, r.size, want-r.size) {
		return false
	}
	r.size = want
	return true
}

// Await is Grow, but waits until it fits or ctx is done.
func (r *Reservation) Await(ctx context.Context, n int64) error {
	for r != nil {
		released := r.budget.nextRelease() // before the attempt, so that no later release is missed
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

// Release releases all of it.
func (r *Reservation) Release() {
	if r.size > 0 {
		r.budget.Release(r.client, r.size)
		r.size = 0
	}
}
