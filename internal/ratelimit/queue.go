package ratelimit

import (
	"sync"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fairqueue"
)

// maxOfClient bounds one client's part of the queue.
const maxOfClient = 1024

// queue holds the requests that wait to be admitted. It takes from each client in
// turn, so that many requests of one delay only each other; all callers that are
// not known to hold a key are one client.
type queue struct {
	// ready holds a token when there is something to take.
	ready chan struct{}

	mu      sync.Mutex
	waiting fairqueue.Queue[uuid.UUID, *Pending]
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

// push adds a client's request unless as many as mayWait come before it.
func (q *queue) push(client uuid.UUID, w *Pending, mayWait int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting.LenOf(client) >= maxOfClient || q.waiting.Before(client) >= mayWait {
		return false
	}
	q.waiting.Push(client, w)
	return true
}

// take removes up to so many requests, one of each client in turn.
func (q *queue) take(most int) []*Pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := make([]*Pending, 0, min(most, q.waiting.Len()))
	for len(group) < most {
		w, found := q.waiting.Pop(nil)
		if !found {
			break
		}
		group = append(group, w)
	}
	return group
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting.Len()
}

// wake leaves a token, unless one lies there.
func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}
