package ratelimit

import (
	"context"
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Verdict says what became of a request at the door.
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

// Admission is the answer. Only Verdict and At are set when the secret was wrong.
type Admission struct {
	Verdict Verdict
	Caller  access.Caller
	// At is the database clock at the decision.
	At time.Time
	// Max is the limit; Remaining is what the window still held, this request included.
	Max       int
	Remaining int
	// ResetAt is when capacity next frees.
	ResetAt time.Time

	receipt receipt
}

// RetryAfter is how long to wait for capacity: whole seconds, rounded up, at
// least one, so that waiting exactly as long succeeds.
func (a Admission) RetryAfter() time.Duration {
	wait := a.ResetAt.Sub(a.At)
	seconds := (wait + time.Second - 1) / time.Second
	return max(seconds, 1) * time.Second
}

// receipt is a request's row in the log.
type receipt struct {
	keyID uuid.UUID
	seq   int64
}

// Limiter admits requests in groups. Whatever has queued while the previous
// group was under way goes next: a lone request never waits for company.
type Limiter struct {
	pool   *postgres.Pool
	policy policy
	bypass bypass
	queue  *queue
	// regulars are those whose next request is likely to be admitted.
	regulars *regulars
	stop     chan struct{}
	stopped  sync.WaitGroup
	// groupTook is how long groups take of late: a moving mean, in nanoseconds.
	groupTook atomic.Int64

	// turn is held by the one group under way.
	turn sync.Mutex

	outcomes *outcomes
}

type policy struct {
	maxRequests        int32
	window, clockShift time.Duration
}

type waiting struct {
	ctx     context.Context
	request Request
	// until is when it gives up.
	until  time.Time
	answer chan answer
}

// gone tells whether nobody waits for the answer any more.
func (w *waiting) gone() bool { return w.ctx.Err() != nil || time.Now().After(w.until) }

type answer struct {
	admission Admission
	err       error
}

const (
	// workers is how many groups may be under way. What a group costs beside its
	// requests is most of its cost, so one group at a time, twice as large, takes
	// less of the database than two.
	workers = 1
	// maxGroup bounds how long a group holds its keys' rows.
	maxGroup = 64
	// groupTimeout is what a request waits for the limiter's store at most, its
	// time in the queue included.
	groupTimeout = 4 * time.Second
)

// New starts the limiter on a pool of its own, so that slow reads never hold up
// the door. Close ends it.
func New(pool *postgres.Pool) *Limiter {
	maxRequests, window, clockShift := Policy()
	l := &Limiter{
		pool: pool, policy: policy{maxRequests, window, clockShift}, bypass: newBypass(),
		queue: newQueue(), regulars: newRegulars(), stop: make(chan struct{}),
		outcomes: newOutcomes(pool, clockShift),
	}
	l.stopped.Go(func() { l.outcomes.run(l.stop) })
	for range workers {
		l.stopped.Go(l.work)
	}
	return l
}

// Workers is how many groups may be under way at once.
func Workers() int32 { return workers }

// Connections is how many connections the limiter's pool needs: one for groups
// and one for outcomes and whoever asks whether the door is open.
func Connections() int32 { return workers + 1 }

// Admit authenticates and counts one request. When the store is out of reach
// the error is a fault that says so; nothing is let in uncounted.
func (l *Limiter) Admit(ctx context.Context, r Request) (Admission, error) {
	if known, ok := l.bypass.recall(r); ok {
		return known, nil
	}
	w := &waiting{ctx: ctx, request: r, until: time.Now().Add(groupTimeout), answer: make(chan answer, 1)}
	if l.crowded() || !l.queue.push(w) {
		return Admission{}, fault.OutOfReach(errCrowded)
	}
	// Whoever finds the door free goes through without waking anybody.
	if l.turn.TryLock() {
		l.admitNext()
	} else {
		l.queue.wake()
	}
	patience := time.NewTimer(groupTimeout)
	defer patience.Stop()
	select {
	case a := <-w.answer:
		if a.err == nil {
			l.bypass.remember(r, a.admission)
			l.regulars.note(r, a.admission)
		}
		return a.admission, a.err
	case <-patience.C:
		return Admission{}, fault.OutOfReach(errTooSlow)
	case <-ctx.Done():
		return Admission{}, fault.OutOfReach(ctx.Err())
	case <-l.stop:
		return Admission{}, fault.OutOfReach(errClosed)
	}
}

// crowded tells whether those who wait already will take longer than anyone may wait.
func (l *Limiter) crowded() bool {
	rounds := l.queue.len() / (workers * maxGroup)
	return time.Duration(rounds)*time.Duration(l.groupTook.Load()) > groupTimeout
}

// Done notes how an admitted request ended, some time soon.
func (l *Limiter) Done(a Admission, status int) {
	if a.Verdict == Admitted && a.receipt != (receipt{}) {
		l.outcomes.add(a.receipt, status)
	}
}

// Close lets the group under way finish and notes the last outcomes.
func (l *Limiter) Close() {
	close(l.stop)
	l.stopped.Wait()
}
