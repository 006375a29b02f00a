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
	// maxUnverified is how many requests at once are served of callers that are not
	// known to hold a key: with those that wait, whoever sends unknown prefixes takes
	// no more of a group.
	maxUnverified = 8
	// unverifiedPause is how much longer such a request keeps its place when it was
	// refused, which bounds what a flood of them costs.
	unverifiedPause = 20 * time.Millisecond
	// maxRefusing bounds the requests that wait for nothing but their refusal.
	maxRefusing = 8192
	// minRefusalDelay and at most spreadRefusals more is when a request is refused
	// that finds no place: callers that ask again at once would otherwise take all of
	// the processor with refusals, and all at the same moments without the spread.
	// Whoever does find a place then has time left to be admitted.
	minRefusalDelay = 2 * time.Second
	spreadRefusals  = 1500 * time.Millisecond
)

func refusalDelay() time.Duration {
	return minRefusalDelay + rand.N(spreadRefusals)
}

// unverified has the places of requests that no key's limit counts.
type unverified struct {
	slots *fairqueue.Slots
	// refusing counts requests of known keys that wait for their refusal.
	refusing atomic.Int64
}

func newUnverified() *unverified {
	return &unverified{slots: fairqueue.NewSlots(maxUnverified, maxUnverified, maxRefusing)}
}

func (u *unverified) acquire(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refusalDelay())
	defer cancel()
	if err := u.slots.Acquire(ctx, uuid.Nil); err != nil {
		return apierror.Unavailable(errors.Join(ErrNoPlace, err))
	}
	return nil
}

func (u *unverified) release() { u.slots.Release(uuid.Nil) }

// releaseLater is for a request that was refused.
func (u *unverified) releaseLater() { time.AfterFunc(unverifiedPause, u.release) }

// AwaitUncounted lets a request pass that no key's limit counts: without a key, or
// of a path where none is needed. So many pass in a second, whatever the database
// does.
func (l *Limiter) AwaitUncounted(ctx context.Context) error {
	if err := l.keyless.acquire(ctx); err != nil {
		return err
	}
	l.keyless.releaseLater()
	return nil
}

// awaitRefusal delays the refusal of a known key's request.
func (u *unverified) awaitRefusal(ctx context.Context) {
	if u.refusing.Add(1) <= maxRefusing {
		timer := time.NewTimer(refusalDelay())
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	u.refusing.Add(-1)
}
