package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fault"
)

var errCrowded = errors.New("too many wait for a connection")

// line is who waits for a connection. Clients take turns, so that one with many
// heavy questions makes nobody late but itself. Where the wait would be longer
// than anyone may wait, it is refused at once: a queue that cannot be served in
// time only costs memory and makes everybody late.
type line struct {
	longest time.Duration
	places  int

	mu      sync.Mutex
	free    int
	waiting int
	turns   []*party // in the order of their next turn
	of      map[uuid.UUID]*party
	// kept is how long connections are kept of late: a moving mean.
	kept    time.Duration
	refused int64
}

// party is one client's requests, in the order they came.
type party struct {
	client uuid.UUID
	queue  []*turn
}

// turn is closed when it has come. Who has left before is passed over.
type turn struct {
	come chan struct{}
	left bool
}

func newLine(places int, longest time.Duration) *line {
	return &line{places: places, free: places, longest: longest, of: map[uuid.UUID]*party{}}
}

// join waits for a place. Who got one leaves.
func (l *line) join(ctx context.Context, client uuid.UUID) error {
	mine, err := l.enqueue(client)
	if mine == nil {
		return err
	}
	select {
	case <-mine.come:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-mine.come: // just now
		l.pass()
	default:
		mine.left = true
		l.waiting--
	}
	l.note(l.longest)
	return ctx.Err()
}

// enqueue takes a place that is free, or a turn for the next one.
func (l *line) enqueue(client uuid.UUID) (*turn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free > 0 {
		l.free--
		return nil, nil
	}
	p, parties := l.of[client], len(l.turns)
	if p == nil {
		p = &party{client: client}
		parties++
	}
	before := min(l.waiting, len(p.queue)*parties+parties-1)
	if time.Duration(before+1)*l.kept/time.Duration(l.places) > l.longest {
		l.refused++
		return nil, fault.OutOfReach(errCrowded)
	}
	if len(p.queue) == 0 {
		l.of[client] = p
		l.turns = append(l.turns, p)
	}
	mine := &turn{come: make(chan struct{})}
	p.queue = append(p.queue, mine)
	l.waiting++
	return mine, nil
}

// leave gives a place back that was kept so long.
func (l *line) leave(kept time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(kept)
	l.pass()
}

// note is slow enough to outlive a few first statements on new connections.
func (l *line) note(kept time.Duration) { l.kept += (kept - l.kept) / 16 }

// pass hands a place on to whose turn it is.
func (l *line) pass() {
	for len(l.turns) > 0 {
		p := l.turns[0]
		l.turns = l.turns[1:]
		next := p.queue[0]
		p.queue = p.queue[1:]
		if len(p.queue) == 0 {
			delete(l.of, p.client)
		} else {
			l.turns = append(l.turns, p)
		}
		if next.left {
			continue
		}
		l.waiting--
		close(next.come)
		return
	}
	l.free++
}

func (l *line) refusals() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}
