package ratelimit

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

const (
	// maxUnverified is how many requests at once are served of callers of a client that
	// are not known to hold a key, of all with unknown prefixes, of keys that have used
	// up their limit, and of requests without a key. Of the first two kinds together,
	// twice as many are.
	maxUnverified = 8
	// unverifiedPause is how much longer such a request keeps its place when it was
	// refused, which bounds what a flood of them costs.
	unverifiedPause = 20 * time.Millisecond
	// maxRefusing bounds the requests that wait for nothing but their refusal.
	maxRefusing = 8192
	// minRefusalDelay, delayEach more for each request that waits, and at most
	// spreadRefusals more is when a request is refused that finds no place: callers
	// that ask again at once would otherwise take all of the processor with
	// refusals, the more the more they are, and all at the same moments without the
	// spread. Whoever does find a place then has time left to be admitted.
	minRefusalDelay = 2 * time.Second
	delayEach       = time.Millisecond
	spreadRefusals  = 1500 * time.Millisecond
)

func refusalDelay(waiting int) time.Duration {
	return minRefusalDelay + time.Duration(min(waiting, maxRefusing))*delayEach + rand.N(spreadRefusals)
}

// places has the places of requests that are likely to be refused.
type places struct{ *fairqueue.Slots }

func newPlaces(n int) *places {
	return &places{fairqueue.NewSlots(n, maxUnverified, maxRefusing)}
}

func (p *places) acquire(ctx context.Context, client uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, refusalDelay(p.Waiting()))
	defer cancel()
	if err := p.Acquire(ctx, client); err != nil {
		return apierror.Unavailable(errors.Join(ErrNoPlace, err))
	}
	return nil
}

// releaseLater is for a request that was refused.
func (p *places) releaseLater(client uuid.UUID) {
	time.AfterFunc(unverifiedPause, func() { p.Release(client) })
}

// AwaitUncounted lets a request pass that no key's limit counts: without a key, or
// of a path where none is needed. So many pass in a second, whatever the database
// does.
func (l *Limiter) AwaitUncounted(ctx context.Context) error {
	if err := l.keyless.acquire(ctx, uuid.Nil); err != nil {
		return err
	}
	l.keyless.releaseLater(uuid.Nil)
	return nil
}

// refusals counts the requests that wait for nothing but their refusal.
type refusals struct{ waiting atomic.Int64 }

func (r *refusals) awaitRefusal(ctx context.Context) {
	if n := r.waiting.Add(1); n <= maxRefusing {
		timer := time.NewTimer(refusalDelay(int(n)))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	r.waiting.Add(-1)
}
