package postgres

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
)

var errQueueFull = errors.New("too many wait for a connection")

// fairQueue gives out the pool's connections. It serves clients in rotation, so
// that one client's many heavy queries delay only that client. A request whose
// expected wait exceeds maxWait is refused at once: a queue that cannot be served
// in time costs memory and delays every request.
type fairQueue struct {
	maxWait     time.Duration
	connections int

	mu       sync.Mutex
	free     int
	waiting  int
	clients  []*clientQueue // in the order in which they are served next
	byClient map[uuid.UUID]*clientQueue
	// meanHeld is a moving mean of how long connections are held.
	meanHeld time.Duration
	refused  int64
}

// clientQueue holds one client's waiting requests, oldest first.
type clientQueue struct {
	client  uuid.UUID
	waiters []*waiter
}

// waiter is one waiting request. An abandoned waiter is skipped.
type waiter struct {
	granted   chan struct{} // closed when a connection is granted
	abandoned bool
	// query may be run by another waiter of the same client: then the query gets
	// its result and granted is never closed. Nil needs a connection of its own.
	query *batchedQuery
	// batched are the other queries that this waiter runs.
	batched []*batchedQuery
}

// maxBatch bounds the queries of a batch: the last one waits for all before it.
const maxBatch = 8

func newFairQueue(connections int, maxWait time.Duration) *fairQueue {
	return &fairQueue{connections: connections, free: connections, maxWait: maxWait, byClient: map[uuid.UUID]*clientQueue{}}
}

// acquire waits for a connection. The caller releases it.
func (l *fairQueue) acquire(ctx context.Context, client uuid.UUID) error {
	mine, err := l.enqueue(client, nil)
	if mine == nil {
		return err
	}
	select {
	case <-mine.granted:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-mine.granted: // just now
		l.grantNext(l.connections)
	default:
		l.quit(mine, ctx.Err())
	}
	return ctx.Err()
}

// quit removes a waiter. A timeout counts as a connection held for maxWait; a
// cancelled request says nothing about the queue's speed.
func (l *fairQueue) quit(mine *waiter, why error) {
	mine.abandoned = true
	l.waiting--
	if errors.Is(why, context.DeadlineExceeded) {
		l.recordHeld(l.maxWait)
	}
}

// acquireOrBatch waits for a connection, or for another waiter that runs q in its
// batch. With a connection it returns the other queries to run on it.
func (l *fairQueue) acquireOrBatch(ctx context.Context, client uuid.UUID, q *batchedQuery) (granted bool, batched []*batchedQuery, err error) {
	mine, err := l.enqueue(client, q)
	if err != nil {
		return false, nil, err
	}
	// Requests admitted together arrive here together: letting other goroutines
	// enqueue first puts their queries into one batch even if connections are free.
	runtime.Gosched()
	l.grantFree()
	select {
	case <-mine.granted:
		return true, mine.batched, nil
	case err := <-q.result:
		return false, nil, err
	case <-ctx.Done():
	}
	l.mu.Lock()
	select {
	case <-mine.granted: // just now: the batched queries depend on it
		l.mu.Unlock()
		return true, mine.batched, nil
	default:
	}
	queued := !q.taken
	if queued {
		l.quit(mine, ctx.Err())
	}
	l.mu.Unlock()
	if queued || q.abandon() {
		return false, nil, ctx.Err()
	}
	return false, nil, <-q.result // it is being read
}

// enqueue takes a free connection and returns nil, or adds a waiter. A query
// always gets a waiter, so that other queries can join its batch.
func (l *fairQueue) enqueue(client uuid.UUID, q *batchedQuery) (*waiter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free > 0 && q == nil {
		l.free--
		return nil, nil
	}
	p, clients := l.byClient[client], len(l.clients)
	if p == nil {
		p = &clientQueue{client: client}
		clients++
	}
	before := min(l.waiting, len(p.waiters)*clients+clients-1)
	if l.free == 0 && time.Duration(before+1)*l.meanHeld/time.Duration(l.connections) > l.maxWait {
		l.refused++
		return nil, apierror.Unavailable(errQueueFull)
	}
	if len(p.waiters) == 0 {
		l.byClient[client] = p
		l.clients = append(l.clients, p)
	}
	mine := &waiter{granted: make(chan struct{}), query: q}
	p.waiters = append(p.waiters, mine)
	l.waiting++
	return mine, nil
}

// release returns a connection that was held for a time and a number of queries.
func (l *fairQueue) release(held time.Duration, queries int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recordHeld(held / time.Duration(queries))
	l.grantNext(l.connections)
}

// grantFree grants the free connections.
func (l *fairQueue) grantFree() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.free > 0 && len(l.clients) > 0 {
		l.free--
		l.grantNext(l.free + 1)
	}
}

// recordHeld weighs one value so little that a few slow first statements on new
// connections do not fill the queue.
func (l *fairQueue) recordHeld(held time.Duration) { l.meanHeld += (held - l.meanHeld) / 16 }

// grantNext grants a connection to the next client's oldest waiter. Its batch is
// at most one connection's share of all waiters, of so many connections.
func (l *fairQueue) grantNext(connections int) {
	for len(l.clients) > 0 {
		p := l.clients[0]
		l.clients = l.clients[1:]
		next := p.waiters[0]
		p.waiters = p.waiters[1:]
		if next.query != nil && !next.abandoned {
			next.batched = l.takeBatch(p, connections)
		}
		if len(p.waiters) == 0 {
			delete(l.byClient, p.client)
		} else {
			l.clients = append(l.clients, p)
		}
		if next.abandoned {
			continue
		}
		l.waiting--
		close(next.granted)
		return
	}
	l.free++
}

// takeBatch removes a client's next queries from the queue.
func (l *fairQueue) takeBatch(p *clientQueue, connections int) []*batchedQuery {
	share := min((l.waiting+connections-1)/connections, maxBatch)
	var batched []*batchedQuery
	for len(batched)+1 < share && len(p.waiters) > 0 {
		next := p.waiters[0]
		if next.query == nil && !next.abandoned {
			break
		}
		p.waiters = p.waiters[1:]
		if !next.abandoned {
			next.query.taken = true
			batched = append(batched, next.query)
		}
	}
	l.waiting -= len(batched)
	return batched
}

func (l *fairQueue) refusals() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}
