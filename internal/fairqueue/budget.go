package fairqueue

import (
	"sync"

	"github.com/google/uuid"
)

// Budget bounds what all clients hold at once, and of that each client's share.
// Nothing waits for it.
type Budget struct {
	total, share int64

	mu    sync.Mutex
	taken int64
	by    map[uuid.UUID]int64
}

// NewBudget makes a budget.
func NewBudget(total, share int64) *Budget {
	return &Budget{total: total, share: share, by: map[uuid.UUID]int64{}}
}

// Reserve takes n for a client and tells whether it fits. What is more than a
// share is given to a client that holds nothing.
func (b *Budget) Reserve(client uuid.UUID, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.fits(client, n) {
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
}

// Full tells whether n more of a client's would not fit its share or the total.
func (b *Budget) Full(client uuid.UUID, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.fits(client, n)
}

func (b *Budget) fits(client uuid.UUID, n int64) bool {
	held := b.by[client]
	return (held == 0 || held+n <= b.share) && (b.taken == 0 || b.taken+n <= b.total)
}
