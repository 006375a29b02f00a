package postgres

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

var errQueueFull = errors.New("too many wait for a connection")

// fairQueue gives out the pool's connections. It serves clients in rotation, so
// that one client's many heavy queries delay only that client. A request whose
// expected wait exceeds maxWait is refused at once: a queue that cannot be served
// in time costs memory and delays every request.
type fairQueue struct {
	maxWait     time.Duration
	connections int

	mu      sync.Mutex
	free    int
	waiting fairqueue.Queue[uuid.UUID, *waiter]
	// meanHeld is a moving mean of how long connections are held.
	meanHeld time.Duration
	refused  int64
}

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

func newFairQueue(connections int, maxWait time.Duration) *fairQueue {
	return &fairQueue{connections: connections, free: connections, maxWait: maxWait}
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
		f.grantNext(f.connections)
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
	if err != nil {
		return false, nil, err
	}
	// Requests admitted together arrive here together: letting other goroutines
	// enqueue first puts their queries into one batch even if connections are free.
	runtime.Gosched()
	f.grantFree()
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
	if queued || q.abandon() {
		return false, nil, ctx.Err()
	}
	return false, nil, <-q.result // it is being read
}

// enqueue takes a free connection and returns nil, or adds a waiter. A query
// always gets a waiter, so that other queries can join its batch.
func (f *fairQueue) enqueue(client uuid.UUID, q *batchedQuery) (*waiter, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.free > 0 && q == nil {
		f.free--
		return nil, nil
	}
	if f.free == 0 && time.Duration(f.waiting.Before(client)+1)*f.meanHeld/time.Duration(f.connections) > f.maxWait {
		f.refused++
		return nil, apierror.Unavailable(errQueueFull)
	}
	w := &waiter{client: client, granted: make(chan struct{}), query: q}
	f.waiting.Push(client, w)
	return w, nil
}

// release returns a connection that was held for a time and a number of queries.
func (f *fairQueue) release(held time.Duration, queries int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recordHeld(held / time.Duration(queries))
	f.grantNext(f.connections)
}

// grantFree grants the free connections.
func (f *fairQueue) grantFree() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.free > 0 && f.waiting.Len() > 0 {
		f.free--
		f.grantNext(f.free + 1)
	}
}

// recordHeld weighs one value so little that a few slow first statements on new
// connections do not fill the queue.
func (f *fairQueue) recordHeld(held time.Duration) { f.meanHeld += (held - f.meanHeld) / 16 }

// grantNext grants a connection to the next client's oldest waiter. Its batch is
// at most one connection's share of all waiters, of so many connections.
func (f *fairQueue) grantNext(connections int) {
	next, found := f.waiting.Pop(nil)
	if !found {
		f.free++
		return
	}
	if next.query != nil && !config.Disabled("read_batches") {
		next.batched = f.takeBatch(next.client, connections)
	}
	close(next.granted)
}

// takeBatch removes a client's next queries from the queue. The request that runs
// them has left it.
func (f *fairQueue) takeBatch(client uuid.UUID, connections int) []*batchedQuery {
	share := min((f.waiting.Len()+connections)/connections, maxBatch)
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
