package ratelimit

import "sync"

const (
	// maxWaiting bounds the queue, maxOfKey one key's part of it: no window holds
	// as many.
	maxWaiting = 4096
	maxOfKey   = 1024
)

// queue is who waits to be admitted. Keys take turns, so that a storm of one
// key's requests makes nobody late but itself.
type queue struct {
	// ready holds a token when there is something to take.
	ready chan struct{}

	mu    sync.Mutex
	size  int
	turns []*backlog // in the order of their next turn
	of    map[string]*backlog
}

// backlog is one key's requests, in the order they came.
type backlog struct {
	prefix  string
	waiting []*waiting
}

func newQueue() *queue {
	return &queue{ready: make(chan struct{}, workers), of: map[string]*backlog{}}
}

// push tells whether there was room.
func (q *queue) push(w *waiting) bool {
	q.mu.Lock()
	b := q.of[w.request.Prefix]
	if q.size >= maxWaiting || b != nil && len(b.waiting) >= maxOfKey {
		q.mu.Unlock()
		return false
	}
	if b == nil {
		b = &backlog{prefix: w.request.Prefix}
		q.of[b.prefix] = b
		q.turns = append(q.turns, b)
	}
	b.waiting = append(b.waiting, w)
	q.size++
	q.mu.Unlock()
	return true
}

// take hands out up to so many requests, the keys in turn.
func (q *queue) take(most int) []*waiting {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := make([]*waiting, 0, min(most, q.size))
	for len(group) < most && q.size > 0 {
		b := q.turns[0]
		q.turns = q.turns[1:]
		group = append(group, b.waiting[0])
		b.waiting = b.waiting[1:]
		q.size--
		if len(b.waiting) == 0 {
			delete(q.of, b.prefix)
		} else {
			q.turns = append(q.turns, b)
		}
	}
	return group
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size
}

// wake leaves a token, unless enough lie there.
func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}
