package ratelimit

import "sync"

const (
	// maxWaiting bounds the queue, maxOfKey one key's part of it: no window admits
	// as many.
	maxWaiting = 4096
	maxOfKey   = 1024
)

// queue holds the requests that wait to be admitted. It takes from each key in
// turn, so that many requests of one key delay only each other.
type queue struct {
	// ready holds a token when there is something to take.
	ready chan struct{}

	mu       sync.Mutex
	size     int
	rotation []*keyQueue // in the order in which the next request is taken
	byKey    map[string]*keyQueue
}

// keyQueue holds one key's requests, in the order they came.
type keyQueue struct {
	prefix  string
	waiting []*waiter
}

func newQueue() *queue {
	return &queue{ready: make(chan struct{}, 1), byKey: map[string]*keyQueue{}}
}

// push tells whether there was room.
func (q *queue) push(w *waiter) bool {
	q.mu.Lock()
	k := q.byKey[w.request.Prefix]
	if q.size >= maxWaiting || k != nil && len(k.waiting) >= maxOfKey {
		q.mu.Unlock()
		return false
	}
	if k == nil {
		k = &keyQueue{prefix: w.request.Prefix}
		q.byKey[k.prefix] = k
		q.rotation = append(q.rotation, k)
	}
	k.waiting = append(k.waiting, w)
	q.size++
	q.mu.Unlock()
	return true
}

// take removes up to so many requests, one of each key in turn.
func (q *queue) take(most int) []*waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := make([]*waiter, 0, min(most, q.size))
	for len(group) < most && q.size > 0 {
		k := q.rotation[0]
		q.rotation = q.rotation[1:]
		group = append(group, k.waiting[0])
		k.waiting = k.waiting[1:]
		q.size--
		if len(k.waiting) == 0 {
			delete(q.byKey, k.prefix)
		} else {
			q.rotation = append(q.rotation, k)
		}
	}
	return group
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size
}

// wake leaves a token, unless one lies there.
func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}
