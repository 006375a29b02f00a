package ratelimit

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/postgres"
)

var (
	errClosed     = errors.New("the limiter is closed")
	errOverloaded = errors.New("too many wait to be admitted")
	errTooSlow    = errors.New("admitting takes too long")
)

// ErrNoSlot is the cause of a refusal that the database was not asked about: too many
// callers without a verified key, or beyond their limit, are served already.
var ErrNoSlot = errors.New("too many callers without a verified key or beyond their limit at once")

// Verdict is what admission decided of a request.
type Verdict string

// The verdicts of the database's admit function.
const (
	Admitted Verdict = "admitted"
	Limited  Verdict = "limited"
	Invalid  Verdict = "invalid"
	Revoked  Verdict = "revoked"
	Expired  Verdict = "expired"
)

// Request asks for admission: the key's prefix, the hash of the secret that
// came with it, and the operation asked for.
type Request struct {
	Prefix     string
	SecretHash [sha256.Size]byte
	Route      string
}

// Admission is the decision on a request. Only Verdict, KeyID and At are set when the
// secret was wrong.
type Admission struct {
	Verdict Verdict
	Caller  auth.Caller
	// KeyID is the key that the prefix names; zero if there is none.
	KeyID uuid.UUID
	// At is the database's clock at the decision.
	At time.Time
	// Max is the quota; Remaining is what was left of it, this request included.
	Max       int
	Remaining int
	// ResetAt is when the quota next frees a request.
	ResetAt time.Time
}

// RetryAfter is how long to wait until ResetAt: whole seconds, rounded up, at
// least one, so that waiting exactly as long succeeds.
func (a Admission) RetryAfter() time.Duration {
	wait := a.ResetAt.Sub(a.At)
	seconds := (wait + time.Second - 1) / time.Second
	return max(seconds, 1) * time.Second
}

// Limiter admits requests in groups, one at a time, because most of a group's cost does
// not depend on its size. A group is what queued during the previous one; a lone
// request waits for no others.
type Limiter struct {
	pool *postgres.Pool
	// maxRequests, window and clockShift are the Policy.
	maxRequests        int32
	window, clockShift time.Duration
	bypass             bypass
	queue              *queue
	callers            callerCache
	// unverified are the slots of requests whose secret is not verified yet, by the
	// client that the prefix names; limited those of keys that have used up their limit;
	// keyless those of requests that never reach the database.
	unverified, limited, keyless refusalSlots
	keyClients                   keyClients
	// overloaded has no slot: it delays the refusals of requests that were likely to be
	// admitted but found the queue full.
	overloaded refusalSlots
	stop       chan struct{}
	stopped    sync.WaitGroup
	// meanGroupTime is the moving mean of the time that a group takes, in nanoseconds.
	meanGroupTime atomic.Int64

	usage *Usage

	// Groups and Grouped count groups that were sent and the requests in them.
	Groups, Grouped atomic.Int64
}

// Waiting counts the requests that wait to be admitted.
func (l *Limiter) Waiting() int { return l.queue.len() }

// Pending is a request whose admission is under way.
type Pending struct {
	limiter *Limiter
	request Request
	// deadline is when Wait gives up.
	deadline time.Time
	result   chan result
	// claimed is set once, by the group that takes the request or by its caller
	// abandoning it.
	claimed atomic.Bool
	decided time.Time
}

// Decided is when the decision came that Wait returned, or now if none came.
func (p *Pending) Decided() time.Time {
	if p.decided.IsZero() {
		return time.Now()
	}
	return p.decided
}

// take claims the request for a group, unless it no longer waits.
func (p *Pending) take() bool {
	return time.Now().Before(p.deadline) && p.claimed.CompareAndSwap(false, true)
}

// abandon ends the waiting, unless a group has taken the request.
func (p *Pending) abandon() bool { return p.claimed.CompareAndSwap(false, true) }

type result struct {
	admission Admission
	err       error
	at        time.Time
}

const (
	// maxGroup bounds how long a group locks its keys.
	maxGroup = 64
	// groupTimeout is how long a request may wait for the database, its time in queues
	// included.
	groupTimeout = 4 * time.Second
	// minGroupTimeout is the least that is left of it after the wait for a slot.
	minGroupTimeout = time.Second
)

// New starts the limiter on a pool of its own, so that slow reads never delay
// admission. Close ends it.
func New(pool *postgres.Pool) *Limiter {
	l := newLimiter(pool)
	l.usage = NewUsage(pool)
	l.stopped.Go(func() { l.keyClients.run(pool, l.stop) })
	l.stopped.Go(l.work)
	return l
}

// newLimiter makes a limiter whose goroutines are not started.
func newLimiter(pool *postgres.Pool) *Limiter {
	maxRequests, window, clockShift := Policy()
	return &Limiter{
		pool: pool, maxRequests: maxRequests, window: window, clockShift: clockShift,
		queue: newQueue(), callers: newCallerCache(),
		unverified: newRefusalSlots(2 * maxUnverified), limited: newRefusalSlots(maxUnverified), keyless: newRefusalSlots(maxUnverified),
		overloaded: newRefusalSlots(0), stop: make(chan struct{}),
	}
}

// Connections is how many connections the limiter's pool needs: one for groups
// and one for usage and the readiness check.
const Connections = 2

// Admit authenticates and counts one request. While the database is unavailable it
// returns an error; no request is admitted uncounted.
func (l *Limiter) Admit(ctx context.Context, r Request) (Admission, error) {
	if known, ok := l.bypass.lookup(r); ok {
		return known, nil
	}
	// Requests that are likely to be admitted bypass the slots.
	cached, deadline := l.callers.get(r), time.Now().Add(groupTimeout)
	if cached.isLikely {
		a, err := l.admit(ctx, cached.ClientID, r, deadline)
		if errors.Is(err, errOverloaded) {
			_ = l.overloaded.acquire(ctx, cached.ClientID)
		}
		return a, err
	}
	slots, client := l.limited, cached.ClientID
	if client == uuid.Nil {
		slots, client = l.unverified, l.keyClients.of(r.Prefix)
	}
	if err := slots.acquire(ctx, client); err != nil {
		return Admission{}, err
	}
	if least := time.Now().Add(minGroupTimeout); deadline.Before(least) {
		deadline = least
	}
	a, err := l.admit(ctx, client, r, deadline)
	if err == nil && (a.Verdict == Admitted || a.Verdict == Limited && slots == l.unverified) {
		slots.Release(client)
	} else {
		slots.releaseLater(client)
	}
	return a, err
}

func (l *Limiter) admit(ctx context.Context, client uuid.UUID, r Request, deadline time.Time) (Admission, error) {
	p, queued := l.enqueue(client, r, deadline)
	if !queued {
		return Admission{}, apierror.Unavailable(errOverloaded)
	}
	return p.Wait(ctx)
}

// Start begins to admit a request that is likely to be admitted, and returns the
// caller that was last admitted with the same secret. Data may be read
// speculatively for that caller; a response must not be sent before Wait has
// returned. Any other request needs Admit, and so does one that finds a whole group
// waiting: responses that wait to be sent take memory.
func (l *Limiter) Start(r Request) (*Pending, auth.Caller, bool) {
	cached := l.callers.get(r)
	if _, bypassed := l.bypass.lookup(r); bypassed || !cached.isLikely || l.queue.len() >= maxGroup {
		return nil, auth.Caller{}, false
	}
	p, queued := l.enqueue(cached.ClientID, r, time.Now().Add(groupTimeout))
	return p, cached.Caller, queued
}

// IsLikely reports whether a request is likely to be admitted.
func (l *Limiter) IsLikely(r Request) bool { return l.callers.get(r).isLikely }

func (l *Limiter) enqueue(client uuid.UUID, r Request, deadline time.Time) (*Pending, bool) {
	p := &Pending{limiter: l, request: r, deadline: deadline, result: make(chan result, 1)}
	queued := l.queue.push(client, p, l.maxAhead())
	l.queue.wake()
	return p, queued
}

// Wait returns the decision. A request whose ctx ends before its group is sent is not
// counted.
func (p *Pending) Wait(ctx context.Context) (Admission, error) {
	select {
	case a := <-p.result: // it came before Wait was called, which may be after the deadline
		return p.conclude(a)
	default:
	}
	timeout := time.NewTimer(time.Until(p.deadline))
	defer timeout.Stop()
	left := ctx.Done()
	for {
		select {
		case a := <-p.result:
			return p.conclude(a)
		case <-timeout.C:
			return Admission{}, apierror.Unavailable(errTooSlow)
		case <-left:
			if p.abandon() {
				return Admission{}, apierror.Unavailable(ctx.Err())
			}
			left = nil // it is being counted
		case <-p.limiter.stop:
			return Admission{}, apierror.Unavailable(errClosed)
		}
	}
}

func (p *Pending) conclude(r result) (Admission, error) {
	p.decided = r.at
	if r.err == nil {
		p.limiter.bypass.store(p.request, r.admission)
		p.limiter.callers.update(p.request, r.admission)
	}
	return r.admission, r.err
}

// maxAhead is how many requests may be ahead of one that is still admitted in time.
func (l *Limiter) maxAhead() int {
	groups := groupTimeout / max(time.Duration(l.meanGroupTime.Load()), time.Millisecond)
	return max(int(groups), 1) * maxGroup
}

// Record counts a request that ended in its key's usage.
func (l *Limiter) Record(keyID uuid.UUID, route string, status int) {
	l.usage.Record(keyID, route, status)
}

// Close lets the group under way finish and writes the usage.
func (l *Limiter) Close() {
	close(l.stop)
	l.stopped.Wait()
	l.usage.Close()
}
