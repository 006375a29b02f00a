package ratelimit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/postgres"
)

// work admits whatever has queued, without waiting for more.
func (l *Limiter) work() {
	most := maxGroup
	if config.Disabled("admission_groups") {
		most = 1
	}
	for {
		select {
		case <-l.queue.ready:
			l.admitGroup(l.queue.take(most))
			if l.queue.len() > 0 {
				l.queue.wake()
			}
		case <-l.stop:
			return
		}
	}
}

// admitGroup admits the requests of a group that still wait. One that was abandoned
// before is not counted.
func (l *Limiter) admitGroup(group []*Pending) {
	group = slices.DeleteFunc(group, func(p *Pending) bool { return !p.take() })
	if len(group) == 0 {
		return
	}
	l.Groups.Add(1)
	l.Grouped.Add(int64(len(group)))
	began := time.Now()
	defer func() { l.recordGroupTime(time.Since(began)) }()
	last := slices.MaxFunc(group, func(a, b *Pending) int { return a.deadline.Compare(b.deadline) })
	ctx, cancel := context.WithDeadline(context.Background(), last.deadline)
	defer cancel()
	admissions, err := l.send(ctx, group)
	if err != nil && (pgconn.SafeToRetry(err) || postgres.IsRetryable(err)) {
		// The connection died while idle and nothing was sent on it, or the
		// database rolled everything back.
		admissions, err = l.send(ctx, group)
	}
	ended := time.Now()
	if err != nil {
		err = apierror.Unavailable(fmt.Errorf("admitting: %w", err))
		admissions = make([]Admission, len(group))
	}
	for i, p := range group {
		p.result <- result{admissions[i], err, ended}
	}
}

// recordGroupTime updates the moving mean; an update lost to a race makes no difference.
func (l *Limiter) recordGroupTime(took time.Duration) {
	mean := l.meanGroupTime.Load()
	l.meanGroupTime.Store(mean + (int64(took)-mean)/8)
}

// send admits a group in one round trip and returns its admissions in the group's order.
func (l *Limiter) send(ctx context.Context, group []*Pending) ([]Admission, error) {
	params := db.AdmitRequestsParams{
		Prefixes: make([]string, len(group)), SecretHashes: make([][]byte, len(group)), Routes: make([]string, len(group)),
		MaxRequests: l.maxRequests, TimeWindow: l.window, ClockShift: l.clockShift,
	}
	for i, p := range group {
		params.Prefixes[i], params.SecretHashes[i], params.Routes[i] = p.request.Prefix, p.request.SecretHash[:], p.request.Route
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
		admissions[row.Ordinal-1] = l.admissionOf(row)
	}
	return admissions, nil
}

func (l *Limiter) admissionOf(row db.AdmitRequestsRow) Admission {
	a := Admission{
		Verdict: Verdict(row.Verdict), KeyID: row.KeyID, At: row.At,
		Max: int(l.maxRequests), Remaining: int(row.Remaining), ResetAt: row.ResetAt,
	}
	if row.ClientID == uuid.Nil {
		return a
	}
	a.Caller = auth.Caller{ClientID: row.ClientID, KeyID: row.KeyID, Scopes: make([]auth.Scope, len(row.Scopes))}
	for i, s := range row.Scopes {
		a.Caller.Scopes[i] = auth.Scope(s)
	}
	return a
}
