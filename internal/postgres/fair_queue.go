package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

var errQueueFull = errors.New("too many wait for a connection")

// fairQueue grants the pool's connections. It serves clients in rotation, so that one
// client's many heavy queries delay only that client, and one client holds half of the
// connections at most while others ask. Where as many of a client's requests wait as
// there are connections, another one whose expected wait exceeds maxWait is refused at
// once: a queue that cannot be served in time costs memory and delays every request.
type fairQueue struct {
	maxWait     time.Duration
	connections int

	mu      sync.Mutex
	free    int
	held    map[uuid.UUID]int // connections, by the client that holds them
	batches map[uuid.UUID]int // those of them that run batches
	waiting fairqueue.Queue[uuid.UUID, *waiter]
	// latest is the last client that asked for a connection, and when; latestOther is the
	// last one before it that is another client.
	latest, latestOther asked
	// meanHeld is a moving mean of the time that one request holds a connection.
	meanHeld time.Duration
	refused  int64
}

// asked is when a client asked for a connection.
type asked struct {
	client uuid.UUID
	at     time.Time
}

// othersAskFor is how long after one client asked no other may hold more than its share.
const othersAskFor = 5 * time.Second

// waiter is one waiting request.
type waiter struct {
	client  uuid.UUID
	granted chan struct{} // closed when a connection is granted
	// query may be run by another waiter of the same client: then the query gets
	// its result and granted is never closed. Nil needs a connection of its own.
	query *batchedQuery
	// batched are the other waiters' queries that this one runs.
	batched []*batchedQuery
}

// maxBatch bounds the queries of a batch, as the last one waits for all before it.
const maxBatch = 8

// clientShare is how many connections one client may hold while others ask, and how many
// of its batches run at once: a further connection would cost more than waiting for the
// next batch.
func (f *fairQueue) clientShare() int { return max(1, f.connections/2) }

func newFairQueue(connections int, maxWait time.Duration) *fairQueue {
	return &fairQueue{connections: connections, free: connections, maxWait: maxWait, held: map[uuid.UUID]int{}, batches: map[uuid.UUID]int{}}
}

// acquire waits for a connection, which the caller releases, and returns the queries to
// run on it besides q. Where another waiter runs q in its batch, it waits for the result
// and no connection is granted. Without a query it waits for a connection alone.
func (f *fairQueue) acquire(ctx context.Context, client uuid.UUID, q *batchedQuery) (granted bool, batched []*batchedQuery, err error) {
	w, err := f.enqueue(client, q)
	if err != nil {
		return false, nil, fmt.Errorf("waiting for a connection: %w", err)
	}
	if w == nil {
		return true, nil, nil
	}
	var result chan error // nil: none comes
	if q != nil {
		result = q.result
	}
	select {
	case <-w.granted:
		return true, w.batched, nil
	case err := <-result:
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
	f.leave(w, ctx.Err())
	f.mu.Unlock()
	if q != nil && q.claimed.Swap(true) { // it is being read
		return false, nil, <-q.result
	}
	return false, nil, fmt.Errorf("waiting for a connection: %w", ctx.Err())
}

// leave removes a waiter, unless a batch has taken it. A timeout in the queue counts as a
// connection held for maxWait; a cancelled request says nothing about the queue's speed.
func (f *fairQueue) leave(w *waiter, why error) {
	before := f.waiting.Len()
	f.waiting.Remove(w.client, func(other *waiter) bool { return other == w })
	if f.waiting.Len() < before && errors.Is(why, context.DeadlineExceeded) {
		f.recordHeld(f.maxWait)
	}
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

// note records that a client asks. Nil is the server's own probe.
func (f *fairQueue) note(client uuid.UUID) {
	if client == uuid.Nil {
		return
	}
	if f.latest.client != client {
		f.latestOther = f.latest
	}
	f.latest = asked{client, time.Now()}
}

// mayHold reports whether a client may hold one more connection.
func (f *fairQueue) mayHold(client uuid.UUID) bool {
	if f.held[client] < f.clientShare() {
		return true
	}
	other := f.latest
	if other.client == client {
		other = f.latestOther
	}
	return time.Since(other.at) > othersAskFor
}

// mayStart reports whether a client may take a connection for q; nil is no batched query.
// A batched query also waits while as many of the client's batches run.
func (f *fairQueue) mayStart(client uuid.UUID, q *batchedQuery) bool {
	return f.mayHold(client) && (q == nil || f.batches[client] < f.clientShare() || config.Disabled("read_batches"))
}

func (f *fairQueue) take(client uuid.UUID, q *batchedQuery) {
	f.free--
	f.held[client]++
	if q != nil {
		f.batches[client]++
	}
}

// release returns a connection that a client held for that long, for a batch of so many
// queries or, with 0, for none, and grants it to the next waiter.
func (f *fairQueue) release(client uuid.UUID, held time.Duration, batch int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recordHeld(held / time.Duration(max(batch, 1)))
	f.free++
	if f.held[client]--; f.held[client] == 0 {
		delete(f.held, client)
	}
	if batch > 0 {
		if f.batches[client]--; f.batches[client] == 0 {
			delete(f.batches, client)
		}
	}
	for f.free > 0 && f.grantNext() {
	}
}

// recordHeld gives each value a weight of 1/16, so that a few slow first statements on new
// connections cause no refusals.
func (f *fairQueue) recordHeld(held time.Duration) { f.meanHeld += (held - f.meanHeld) / 16 }

// grantNext grants a free connection to the oldest waiter of the next client that may
// take it, and reports whether there was one.
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

// takeBatch removes a client's next batched queries from the queue: of those that wait,
// the request that runs them included, the share of one of the client's batches.
func (f *fairQueue) takeBatch(client uuid.UUID) []*batchedQuery {
	share := min((f.waiting.LenOf(client)+f.clientShare())/f.clientShare(), maxBatch)
	var batched []*batchedQuery
	for len(batched)+1 < share {
		next, found := f.waiting.PopOf(client, func(w *waiter) bool { return w.query != nil })
		if !found {
			break
		}
		batched = append(batched, next.query)
	}
	return batched
}

func (f *fairQueue) refusals() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}
