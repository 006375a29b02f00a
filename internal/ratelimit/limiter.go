package ratelimit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/postgres"
)

var (
	errClosed     = errors.New("the limiter is closed")
	errOverloaded = errors.New("too many wait to be admitted")
	errTooSlow    = errors.New("admitting takes too long")
)

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

// Limiter admits requests in groups, first come, first served: what waits while one group
// is in the database is the next group, so a lone request waits for no others. Most of a
// group's cost does not depend on its size.
type Limiter struct {
	pool *postgres.Pool
	// maxRequests, window and clockShift are the Policy.
	maxRequests        int32
	window, clockShift time.Duration

	queue   chan *waiter
	stop    chan struct{}
	stopped sync.WaitGroup
	// Groups and Grouped count groups that were sent and the requests in them.
	Groups, Grouped atomic.Int64
}

// waiter is a request that waits to be admitted.
type waiter struct {
	request Request
	// taken is set once: by the group that admits the request or, before that, by its
	// caller leaving.
	taken   atomic.Bool
	decided chan decision
}

type decision struct {
	admission Admission
	err       error
}

const (
	// maxWaiting is more than a server has connections: nobody is refused for it who
	// would be told that a limit is used up.
	maxWaiting = 16_384
	// maxGroup bounds how long a group locks its keys.
	maxGroup = 256
	// maxRest bounds the rest after a group of several requests, which is as long as the group
	// took: where many ask, groups are then larger, and the database does less for each request.
	maxRest = 2 * time.Millisecond
	// admitTimeout is how long a request may wait for its admission.
	admitTimeout = 4 * time.Second
)

// Connections is how many connections the limiter's pool needs: one for groups
// and one for usage and the readiness check.
const Connections = 2

// New starts the limiter on a pool of its own, so that slow reads never delay
// admission. Close ends it.
func New(pool *postgres.Pool) *Limiter {
	maxRequests, window, clockShift := Policy()
	l := &Limiter{
		pool: pool, maxRequests: maxRequests, window: window, clockShift: clockShift,
		queue: make(chan *waiter, maxWaiting), stop: make(chan struct{}),
	}
	l.stopped.Go(l.run)
	return l
}

// Waiting counts the requests that wait to be admitted.
func (l *Limiter) Waiting() int { return len(l.queue) }

// Admit authenticates and counts one request. While the database is unavailable it
// returns an error; no request is admitted uncounted. A request whose ctx ends before its
// group is sent is not counted.
func (l *Limiter) Admit(ctx context.Context, r Request) (Admission, error) {
	w := &waiter{request: r, decided: make(chan decision, 1)}
	select {
	case l.queue <- w:
	default:
		return Admission{}, apierror.Unavailable(errOverloaded)
	}
	timeout := time.NewTimer(admitTimeout)
	defer timeout.Stop()
	left := ctx.Done()
	for {
		select {
		case d := <-w.decided:
			return d.admission, d.err
		case <-left:
			if w.taken.CompareAndSwap(false, true) {
				return Admission{}, apierror.Unavailable(ctx.Err())
			}
			left = nil // it is being counted
		case <-timeout.C:
			return Admission{}, apierror.Unavailable(errTooSlow)
		case <-l.stop:
			return Admission{}, apierror.Unavailable(errClosed)
		}
	}
}

// run admits what waits, group by group.
func (l *Limiter) run() {
	for {
		var group []*waiter
		select {
		case w := <-l.queue:
			group = append(group, w)
		case <-l.stop:
			return
		}
		for len(group) < maxGroup && len(l.queue) > 0 { // nothing else takes from it
			group = append(group, <-l.queue)
		}
		began := time.Now()
		l.admit(group)
		if len(group) > 1 {
			time.Sleep(min(time.Since(began), maxRest))
		}
	}
}

// admit sends the requests of a group that still wait, and tells each its decision.
func (l *Limiter) admit(group []*waiter) {
	group = slices.DeleteFunc(group, func(w *waiter) bool { return !w.taken.CompareAndSwap(false, true) })
	if len(group) == 0 {
		return
	}
	l.Groups.Add(1)
	l.Grouped.Add(int64(len(group)))
	ctx, cancel := context.WithTimeout(context.Background(), admitTimeout)
	defer cancel()
	admissions, err := l.send(ctx, group)
	if err != nil && (pgconn.SafeToRetry(err) || postgres.IsRetryable(err)) {
		// The connection died while idle and nothing was sent on it, or the
		// database rolled everything back.
		admissions, err = l.send(ctx, group)
	}
	if err != nil {
		err = apierror.Unavailable(fmt.Errorf("admitting: %w", err))
		admissions = make([]Admission, len(group))
	}
	for i, w := range group {
		w.decided <- decision{admissions[i], err}
	}
}

// send admits a group in one round trip and returns its admissions in the group's order.
func (l *Limiter) send(ctx context.Context, group []*waiter) ([]Admission, error) {
	params := db.AdmitRequestsParams{
		Prefixes: make([]string, len(group)), SecretHashes: make([][]byte, len(group)), Routes: make([]string, len(group)),
		MaxRequests: l.maxRequests, TimeWindow: l.window, ClockShift: l.clockShift,
	}
	for i, w := range group {
		params.Prefixes[i], params.SecretHashes[i], params.Routes[i] = w.request.Prefix, w.request.SecretHash[:], w.request.Route
	}
	rows, err := db.New(l.pool).AdmitRequests(ctx, params)
	if err != nil {
		return nil, err
	}
	if len(rows) != len(group) {
		return nil, fmt.Errorf("admit decided %d of %d requests", len(rows), len(group))
	}
	admissions := make([]Admission, len(group))
	for _, row := range rows {
		if row.Ordinal < 1 || int(row.Ordinal) > len(group) || admissions[row.Ordinal-1].Verdict != "" {
			return nil, fmt.Errorf("admit decided request %d of %d twice, or there is none", row.Ordinal, len(group))
		}
		a := Admission{
			Verdict: Verdict(row.Verdict), KeyID: row.KeyID, At: row.At,
			Max: int(l.maxRequests), Remaining: int(row.Remaining), ResetAt: row.ResetAt,
		}
		if row.ClientID != uuid.Nil {
			a.Caller = auth.Caller{ClientID: row.ClientID, KeyID: row.KeyID, Scopes: make([]auth.Scope, len(row.Scopes))}
			for i, s := range row.Scopes {
				a.Caller.Scopes[i] = auth.Scope(s)
			}
		}
		admissions[row.Ordinal-1] = a
	}
	return admissions, nil
}

// Close lets the group under way finish.
func (l *Limiter) Close() {
	close(l.stop)
	l.stopped.Wait()
}
