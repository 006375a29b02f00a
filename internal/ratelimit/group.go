package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
FROM admit($1, $2, $3, $4, $5, $6) AS a`

func (l *Limiter) work() {
	for {
		select {
		case <-l.queue.ready:
			l.turn.Lock()
			l.admitNext()
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
	admissions, err := l.exchange(ctx, group)
	if err != nil && (pgconn.SafeToRetry(err) || postgres.GaveWay(err)) {
		// The connection died while idle and nothing was sent on it, or the
		// database took everything back.
		group = stillWaiting(group)
		admissions, err = l.exchange(ctx, group)
	}
	if err != nil {
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

// exchange is the one round trip: requests in, admissions out, in the order of the
// group.
func (l *Limiter) exchange(ctx context.Context, group []*waiting) ([]Admission, error) {
	prefixes := make([]string, len(group))
	hashes := make([][]byte, len(group))
	routes := make([]string, len(group))
	for i, w := range group {
		prefixes[i], hashes[i], routes[i] = w.request.Prefix, w.request.SecretHash[:], w.request.Route
	}
	rows, err := l.pool.Query(ctx, admit,
		prefixes, hashes, routes, l.policy.maxRequests, interval(l.policy.window), interval(l.policy.clockShift))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	admissions := make([]Admission, len(group))
	answered := 0
	v := postgres.NewValues(rows)
	for v.Next() {
		ord, a := admissionOf(v)
		if v.Err() != nil || ord < 1 || ord > len(group) {
			break
		}
		a.Max = int(l.policy.maxRequests)
		admissions[ord-1] = a
		answered++
	}
	if err := v.Err(); err != nil {
		return nil, err
	}
	if answered != len(group) {
		return nil, fmt.Errorf("admit answered %d of %d requests", answered, len(group))
	}
	return admissions, nil
}

// admissionOf reads a row of admit, in the order of its columns.
func admissionOf(v *postgres.Values) (int, Admission) {
	a := Admission{
		Verdict: Verdict(v.Text(1)), At: v.Time(5), Remaining: int(v.Int(7)), ResetAt: v.Time(8),
	}
	if !v.Null(3) {
		var scopes []string
		v.Scan(4, &scopes)
		a.Caller = access.Caller{ClientID: v.UUID(3), KeyID: v.UUID(2), Scopes: make([]access.Scope, len(scopes))}
		for i, s := range scopes {
			a.Caller.Scopes[i] = access.Scope(s)
		}
		if !v.Null(6) {
			a.receipt = receipt{a.Caller.KeyID, v.Int(6)}
		}
	}
	return int(v.Int(0)), a
}

func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}
