package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/postgres"
)

var (
	errClosed  = errors.New("the limiter is closed")
	errCrowded = errors.New("too many wait to be admitted")
	errTooSlow = errors.New("admitting takes too long")
)

// Written by hand: sqlc does not know functions that return tables.
const admit = `SELECT a.ord, a.verdict, a.key_id, a.client_id, a.scopes, a.at, a.seq, a.remaining, a.reset_at
FROM admit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS a`

func (l *Limiter) work() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.queue.ready:
			l.turn.Lock()
			l.admitNext()
		case <-tick.C:
			l.flush()
		case <-l.stop:
			return
		}
	}
}

// admitNext admits whatever has queued, without waiting for more, and gives up
// the turn that its caller has taken. Who queued meanwhile found the turn taken:
// they are the worker's.
func (l *Limiter) admitNext() {
	l.admitGroup(l.queue.take(maxGroup))
	l.turn.Unlock()
	if l.queue.len() > 0 {
		l.queue.wake()
	}
}

// admitGroup admits those of a group who still wait. Whoever left before the
// group was sent is not counted.
func (l *Limiter) admitGroup(group []*waiting) {
	if group = stillWaiting(group); len(group) == 0 {
		return
	}
	began := time.Now()
	defer func() { l.noteGroup(time.Since(began)) }()
	ctx, cancel := context.WithTimeout(context.Background(), groupTimeout)
	defer cancel()
	outcomes := l.takeOutcomes(outcomesAtOnce)
	admissions, err := l.exchange(ctx, group, outcomes)
	if err != nil && (pgconn.SafeToRetry(err) || postgres.GaveWay(err)) {
		// The connection died while idle and nothing was sent on it, or the
		// database took everything back.
		group = stillWaiting(group)
		admissions, err = l.exchange(ctx, group, outcomes)
	}
	if err != nil {
		l.returnOutcomes(outcomes)
		for _, w := range group {
			w.answer <- answer{err: fault.OutOfReach(fmt.Errorf("admitting: %w", err))}
		}
		return
	}
	for i, w := range group {
		w.answer <- answer{admission: admissions[i]}
	}
}

func stillWaiting(group []*waiting) []*waiting {
	return slices.DeleteFunc(group, (*waiting).gone)
}

// noteGroup keeps the moving mean; an update lost to a race makes no difference.
func (l *Limiter) noteGroup(took time.Duration) {
	mean := l.groupTook.Load()
	l.groupTook.Store(mean + (int64(took)-mean)/8)
}

// flush notes outcomes, however few.
func (l *Limiter) flush() {
	outcomes := l.takeOutcomes(1)
	if len(outcomes) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), groupTimeout)
	defer cancel()
	if _, err := l.exchange(ctx, nil, outcomes); err != nil {
		l.returnOutcomes(outcomes)
	}
}

// takeOutcomes takes all there are, if there are that many.
func (l *Limiter) takeOutcomes(atLeast int) []outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.done) < atLeast {
		return nil
	}
	taken := l.done
	l.done = nil
	return taken
}

func (l *Limiter) returnOutcomes(outcomes []outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.done)+len(outcomes) <= maxOutcomes {
		l.done = append(l.done, outcomes...)
	}
}

// exchange is the one round trip: requests and outcomes in, admissions out, in
// the order of the group.
func (l *Limiter) exchange(ctx context.Context, group []*waiting, outcomes []outcome) ([]Admission, error) {
	prefixes := make([]string, len(group))
	hashes := make([][]byte, len(group))
	routes := make([]string, len(group))
	for i, w := range group {
		prefixes[i], hashes[i], routes[i] = w.request.Prefix, w.request.SecretHash[:], w.request.Route
	}
	clients := make([]uuid.UUID, len(outcomes))
	keys := make([]uuid.UUID, len(outcomes))
	ats := make([]time.Time, len(outcomes))
	seqs := make([]int64, len(outcomes))
	statuses := make([]int16, len(outcomes))
	for i, o := range outcomes {
		clients[i], keys[i], ats[i], seqs[i], statuses[i] = o.clientID, o.keyID, o.at, o.seq, o.status
	}
	rows, err := l.pool.Query(ctx, admit,
		prefixes, hashes, routes, l.policy.maxRequests, interval(l.policy.window), interval(l.policy.clockShift),
		clients, keys, ats, seqs, statuses)
	if err != nil {
		return nil, err
	}
	admissions := make([]Admission, len(group))
	var seen int
	var ord, remaining int32
	var verdict string
	var keyID uuid.UUID
	var clientID *uuid.UUID
	var scopes []string
	var at, resetAt time.Time
	var seq *int64
	_, err = pgx.ForEachRow(rows, []any{&ord, &verdict, &keyID, &clientID, &scopes, &at, &seq, &remaining, &resetAt}, func() error {
		seen++
		a := Admission{
			Verdict: Verdict(verdict), At: at,
			Max: int(l.policy.maxRequests), Remaining: int(remaining), ResetAt: resetAt,
		}
		if clientID != nil {
			a.Caller = access.Caller{ClientID: *clientID, KeyID: keyID, Scopes: make([]access.Scope, len(scopes))}
			for i, s := range scopes {
				a.Caller.Scopes[i] = access.Scope(s)
			}
		}
		if clientID != nil && seq != nil {
			a.receipt = receipt{*clientID, keyID, at, *seq}
		}
		admissions[ord-1] = a
		return nil
	})
	if err != nil {
		return nil, err
	}
	if seen != len(group) {
		return nil, fmt.Errorf("admit answered %d of %d requests", seen, len(group))
	}
	return admissions, nil
}

func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}
