package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

var errQueueFull = errors.New("too many wait for a connection")

// fairQueue gives out the pool's connections. It serves clients in rotation, so
// that one client's many heavy queries delay only that client, and one client holds
// half of the connections at most while others ask. Of a client that has as many
// waiting as there are connections, a request whose expected wait exceeds maxWait is
// refused at once: a queue that cannot be served in time costs memory and delays every
// request.
type fairQueue struct {
	maxWait     time.Duration
	connections int

	mu      sync.Mutex
	free    int
	held    map[uuid.UUID]int // of the connections that are not free
	batches map[uuid.UUID]int // of those held, that run batches
	waiting fairqueue.Queue[uuid.UUID, *waiter]
	// last asked last, and before it other, which is another client.
	last, other asked
	// meanHeld is a moving mean of how long connections are held.
	meanHeld time.Duration
	refused  int64
}

// asked is when a client asked for a connection.
type asked struct {
	client uuid.UUID
	at     time.Time
}

// othersAskFor is how long connections are left to a client after it asked.
const othersAskFor = 5 * time.Second

// waiter is one waiting request.
type waiter struct {
	client  uuid.UUID
	granted chan struct{} // closed when a connection is granted
	// query may be run by another waiter of the same client: then the query gets
	// its result and granted is never closed. Nil needs a connection of its own.
	query *batchedQuery
	// batched are the other queries that this waiter runs.
	batched []*batchedQuery
}

// maxBatch bounds the queries of a batch: the last one waits for all before it.
const maxBatch = 8

// half is how many connections a client holds while others ask, and how many batches of
// it run at once: what its other queries would gain by a connection of their own costs
// more than waiting for the next batch.
func (f *fairQueue) half() int { return max(1, f.connections/2) }

func newFairQueue(connections int, maxWait time.Duration) *fairQueue {
	return &fairQueue{connections: connections, free: connections, maxWait: maxWait, held: map[uuid.UUID]int{}, batches: map[uuid.UUID]int{}}
}

// acquire waits for a connection. The caller releases it.
func (f *fairQueue) acquire(ctx context.Context, client uuid.UUID) error {
	w, err := f.enqueue(client, nil)
	if w == nil {
		return err
	}
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-w.granted: // just now
		f.giveBack(client, false)
	default:
		f.leave(w, ctx.Err())
	}
	return ctx.Err()
}

// leave removes a waiter. A timeout counts as a connection held for maxWait; a
// cancelled request says nothing about the queue's speed.
func (f *fairQueue) leave(w *waiter, why error) {
	f.waiting.Remove(w.client, func(other *waiter) bool { return other == w })
	if errors.Is(why, context.DeadlineExceeded) {
		f.recordHeld(f.maxWait)
	}
}

// acquireOrBatch waits for a connection, or for another waiter that runs q in its
// batch. With a connection it returns the other queries to run on it.
func (f *fairQueue) acquireOrBatch(ctx context.Context, client uuid.UUID, q *batchedQuery) (granted bool, batched []*batchedQuery, err error) {
	w, err := f.enqueue(client, q)
	if w == nil {
		return err == nil, nil, err
	}
	select {
	case <-w.granted:
		return true, w.batched, nil
	case err := <-q.result:
		return false, nil, err
	case <-ctx.Done():
	}
	f.mu.Lock()
	select {
	case <-w.granted: // just now: the batched queries depend on it
		f.mu.Unlock()
		return true, w.batched, nil
	default:
	}
	queued := !q.taken
	if queued {
		f.leave(w, ctx.Err())
	}
	f.mu.Unlock()
	if queued || q.state.CompareAndSwap(statePending, stateAbandoned) {
		return false, nil, ctx.Err()
	}
	return false, nil, <-q.result // it is being read
}

// enqueue takes a free connection and returns nil, or adds a waiter.
func (f *fairQueue) enqueue(client uuid.UUID, q *batchedQuery) (*waiter, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note(client)
	if f.free > 0 && f.mayStart(client, q) {
		f.take(client, q)
		return nil, nil
	}
	if f.waiting.LenOf(client) >= f.connections &&
		time.Duration(f.waiting.Before(client)+1)*f.meanHeld/time.Duration(f.connections) > f.maxWait {
		f.refused++
		return nil, apierror.Unavailable(errQueueFull)
	}
	w := &waiter{client: client, granted: make(chan struct{}), query: q}
	f.waiting.Push(client, w)
	return w, nil
}

// note remembers that a client asks. The server's own probes are no client's.
func (f *fairQueue) note(client uuid.UUID) {
	if client == uuid.Nil {
		return
	}
	if f.last.client != client {
		f.other = f.last
	}
	f.last = asked{client, time.Now()}
}

// mayHold tells whether a client may hold one more connection. A pool of one has none
// to leave to others.
func (f *fairQueue) mayHold(client uuid.UUID) bool {
	if f.held[client] < f.half() {
		return true
	}
	other := f.last
	if other.client == client {
		other = f.other
	}
	return time.Since(other.at) > othersAskFor
}

// mayStart tells whether a client may have a connection for a query, which may be nil, or
// waits for one of its batches to end.
func (f *fairQueue) mayStart(client uuid.UUID, q *batchedQuery) bool {
	return f.mayHold(client) && (q == nil || f.batches[client] < f.half() || config.Disabled("read_batches"))
}

func (f *fairQueue) take(client uuid.UUID, q *batchedQuery) {
	f.free--
	f.held[client]++
	if q != nil {
		f.batches[client]++
	}
}

// giveBack returns a client's connection, which may have run a batch, and grants it.
func (f *fairQueue) giveBack(client uuid.UUID, batch bool) {
	f.free++
	if f.held[client]--; f.held[client] == 0 {
		delete(f.held, client)
	}
	if batch {
		if f.batches[client]--; f.batches[client] == 0 {
			delete(f.batches, client)
		}
	}
	for f.free > 0 && f.grantNext() {
	}
}

// release returns a connection that a client held for a time: for a batch of so many
// queries, or for none.
func (f *fairQueue) release(client uuid.UUID, held time.Duration, batch int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recordHeld(held / time.Duration(max(batch, 1)))
	f.giveBack(client, batch > 0)
}

// recordHeld weighs one value so little that a few slow first statements on new
// connections do not fill the queue.
func (f *fairQueue) recordHeld(held time.Duration) { f.meanHeld += (held - f.meanHeld) / 16 }

// grantNext grants a free connection to the oldest waiter of the next client that may
// have it, and tells whether there is one.
func (f *fairQueue) grantNext() bool {
	next, found := f.waiting.Pop(func(client uuid.UUID, w *waiter) bool { return f.mayStart(client, w.query) })
	if !found {
		return false
	}
	f.take(next.client, next.query)
	if next.query != nil && !config.Disabled("read_batches") {
		next.batched = f.takeBatch(next.client)
	}
	close(next.granted)
	return true
}

// takeBatch removes a client's next queries from the queue, at most one batch's share of
// what it has waiting. The request that runs them has left it.
func (f *fairQueue) takeBatch(client uuid.UUID) []*batchedQuery {
	share := min((f.waiting.LenOf(client)+f.half())/f.half(), maxBatch)
	var batched []*batchedQuery
	for len(batched)+1 < share {
		next, found := f.waiting.PopOf(client, func(w *waiter) bool { return w.query != nil })
		if !found {
			break
		}
		next.query.taken = true
		batched = append(batched, next.query)
	}
	return batched
}

func (f *fairQueue) refusals() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}
