package ratelimit

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

const (
	// maxUnverified bounds the requests served at once: of one client's callers whose
	// secret is not verified yet (all unknown prefixes are one client), of keys that have
	// used up their limit, and of requests without a key. All unverified callers
	// together have twice as many.
	maxUnverified = 8
	// unverifiedPause is how much longer such a request keeps its slot when it was
	// refused, which bounds what a flood of them costs.
	unverifiedPause = 20 * time.Millisecond
	// maxRefusing bounds the requests of one client that wait for a slot or their refusal.
	maxRefusing = 8192
	// A request that gets no slot is refused after minRefusalDelay, plus delayEach for
	// each request that waits, plus a random part of spreadRefusals: callers that are
	// refused at once retry at once and would use up the processor, and without the
	// random part they would all retry together.
	minRefusalDelay = 2 * time.Second
	delayEach       = time.Millisecond
	spreadRefusals  = 1500 * time.Millisecond
)

func refusalDelay(waiting int) time.Duration {
	return minRefusalDelay + time.Duration(min(waiting, maxRefusing))*delayEach + rand.N(spreadRefusals)
}

// refusalSlots are the slots of requests that are likely to be refused. acquire delays
// the refusal of one that gets none.
type refusalSlots struct{ *fairqueue.Slots }

func newRefusalSlots(n int) refusalSlots {
	return refusalSlots{fairqueue.NewSlots(n, maxUnverified, maxRefusing)}
}

func (s refusalSlots) acquire(ctx context.Context, client uuid.UUID) error {
	if err := s.AcquireWithin(ctx, client, refusalDelay(s.Waiting())); err != nil {
		return apierror.Unavailable(errors.Join(ErrNoSlot, err))
	}
	return nil
}

// releaseLater is for a request that was refused.
func (s refusalSlots) releaseLater(client uuid.UUID) {
	time.AfterFunc(unverifiedPause, func() { s.Release(client) })
}

// AwaitUncounted waits for the slot of a request that no key's limit counts: one
// without a key, or of a path where none is needed. It bounds how many such requests
// are served in a second, and needs no database.
func (l *Limiter) AwaitUncounted(ctx context.Context) error {
	if err := l.keyless.acquire(ctx, uuid.Nil); err != nil {
		return err
	}
	l.keyless.releaseLater(uuid.Nil)
	return nil
}
