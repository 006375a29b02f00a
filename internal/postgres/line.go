package postgres

import (
	"context"
	"errors"
	"runtime"
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
	// asks is a question that another of its client may take along: then the
	// turn never comes, but the answer does. Nil wants a connection for itself.
	asks *question
	// along are those whom this turn takes along.
	along []*question
}

// mostAlong bounds how long the last of those who go together waits for the first.
const mostAlong = 8

func newLine(places int, longest time.Duration) *line {
	return &line{places: places, free: places, longest: longest, of: map[uuid.UUID]*party{}}
}

// join waits for a place. Who got one leaves.
func (l *line) join(ctx context.Context, client uuid.UUID) error {
	mine, err := l.enqueue(client, nil)
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
		l.pass(l.places)
	default:
		l.quit(mine, ctx.Err())
	}
	return ctx.Err()
}

// quit gives up a turn. Who waited in vain tells how slow the line is; who was
// called away does not.
func (l *line) quit(mine *turn, why error) {
	mine.left = true
	l.waiting--
	if errors.Is(why, context.DeadlineExceeded) {
		l.note(l.longest)
	}
}

// joinOrAsk waits for a place, or for another who asks q along with its own
// question. With a place come those to ask along.
func (l *line) joinOrAsk(ctx context.Context, client uuid.UUID, q *question) (place bool, along []*question, err error) {
	mine, err := l.enqueue(client, q)
	if err != nil {
		return false, nil, err
	}
	// Others may be on their way here, admitted together: those who can run get in
	// line first, and go together although places are free.
	runtime.Gosched()
	l.fill()
	select {
	case <-mine.come:
		return true, mine.along, nil
	case err := <-q.answer:
		return false, nil, err
	case <-ctx.Done():
	}
	l.mu.Lock()
	select {
	case <-mine.come: // just now: those taken along rely on it
		l.mu.Unlock()
		return true, mine.along, nil
	default:
	}
	queued := !q.taken
	if queued {
		l.quit(mine, ctx.Err())
	}
	l.mu.Unlock()
	if queued || q.giveUp() {
		return false, nil, ctx.Err()
	}
	return false, nil, <-q.answer // it is being read
}

// enqueue takes a place that is free, or a turn for the next one.
func (l *line) enqueue(client uuid.UUID, q *question) (*turn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free > 0 && q == nil {
		l.free--
		return nil, nil
	}
	p, parties := l.of[client], len(l.turns)
	if p == nil {
		p = &party{client: client}
		parties++
	}
	before := min(l.waiting, len(p.queue)*parties+parties-1)
	if l.free == 0 && time.Duration(before+1)*l.kept/time.Duration(l.places) > l.longest {
		l.refused++
		return nil, fault.OutOfReach(errCrowded)
	}
	if len(p.queue) == 0 {
		l.of[client] = p
		l.turns = append(l.turns, p)
	}
	mine := &turn{come: make(chan struct{}), asks: q}
	p.queue = append(p.queue, mine)
	l.waiting++
	return mine, nil
}

// leave gives a place back that was kept so long, for so many questions.
func (l *line) leave(kept time.Duration, questions int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(kept / time.Duration(questions))
	l.pass(l.places)
}

// fill hands out the places that are free.
func (l *line) fill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.free > 0 && len(l.turns) > 0 {
		l.free--
		l.pass(l.free + 1)
	}
}

// note is slow enough to outlive a few first statements on new connections.
func (l *line) note(kept time.Duration) { l.kept += (kept - l.kept) / 16 }

// pass hands a place on to whose turn it is. Of those who wait, it is to serve
// the share of one in so many places.
func (l *line) pass(places int) {
	for len(l.turns) > 0 {
		p := l.turns[0]
		l.turns = l.turns[1:]
		next := p.queue[0]
		p.queue = p.queue[1:]
		if next.asks != nil && !next.left {
			next.along = l.takeAlong(p, places)
		}
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

// takeAlong takes a client's next questions out of the line.
func (l *line) takeAlong(p *party, places int) []*question {
	share := min((l.waiting+places-1)/places, mostAlong)
	var along []*question
	for len(along)+1 < share && len(p.queue) > 0 {
		next := p.queue[0]
		if next.asks == nil && !next.left {
			break
		}
		p.queue = p.queue[1:]
		if !next.left {
			next.asks.taken = true
			along = append(along, next.asks)
		}
	}
	l.waiting -= len(along)
	return along
}

func (l *line) refusals() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}
