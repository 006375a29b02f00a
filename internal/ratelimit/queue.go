package ratelimit

import (
	"sync"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fairqueue"
)

// maxOfClient bounds one client's part of the queue.
const maxOfClient = 1024

// queue holds the requests that wait to be admitted. It takes one of each client in
// rotation, so that many requests of one client delay only each other. All unknown
// prefixes are one client.
type queue struct {
	// ready holds a token when a request waits.
	ready chan struct{}

	mu      sync.Mutex
	waiting fairqueue.Queue[uuid.UUID, *Pending]
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

// push adds a client's request unless maxAhead requests are ahead of it.
func (q *queue) push(client uuid.UUID, w *Pending, maxAhead int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting.LenOf(client) >= maxOfClient || q.waiting.Before(client) >= maxAhead {
		return false
	}
	q.waiting.Push(client, w)
	return true
}

// take removes up to most requests, one of each client in rotation.
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

// wake puts a token into ready, unless it holds one.
func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}
