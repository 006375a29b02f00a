package measurement

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	// auditEvery is the least time between two audits of one client.
	auditEvery = 15 * time.Minute
	// auditRest is the pause after an audit in multiples of its duration, over all servers
	// together: audits take a hundredth of one processor at most.
	auditRest = 99
	// auditTimeout ends an audit in a database that hangs. No audit takes as long.
	auditTimeout = time.Hour
	// checkEvery bounds how long clients stay unmarked after a trigger was switched off.
	checkEvery = time.Minute
)

// Auditor audits canonical clients in the background of a server, one at a time.
// Several servers on one database share the work.
type Auditor struct {
	databaseURL string
	log         *slog.Logger

	// Audits counts this server's audits, Differing those that found a difference.
	// Broken is how many canonical clients are refused, as last read.
	Audits, Differing, Broken atomic.Int64
	// Last is when this server last audited, in nanoseconds since 1970 (0: never), and
	// Took how many nanoseconds that took.
	Last, Took atomic.Int64
}

// NewAuditor makes an auditor that works in the server's role.
func NewAuditor(databaseURL string, log *slog.Logger) *Auditor {
	return &Auditor{databaseURL: databaseURL, log: log}
}

// Run audits until ctx ends.
func (a *Auditor) Run(ctx context.Context) {
	for {
		idle, err := a.auditNext(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			a.log.Warn("auditing measurement in the background", "error", postgres.Loggable(err))
			idle = checkEvery
		}
		select {
		case <-time.After(min(max(idle, time.Second), checkEvery)):
		case <-ctx.Done():
			return
		}
	}
}

// auditNext audits one client if one is due, and returns the time until the next is. It
// connects only for that.
func (a *Auditor) auditNext(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, auditTimeout)
	defer cancel()
	pool, err := postgres.OpenPool(ctx, postgres.PoolSettings{
		URL: a.databaseURL, Size: 1, Application: "clientintel audit", // no statement timeout: an audit may take long
	})
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	queries := db.New(pool)

	// Only the primary can store what an audit finds.
	if standby, err := queries.IsStandby(ctx); err != nil || standby {
		return checkEvery, err
	}
	if err := queries.MergeMeasurementChanges(ctx); err != nil {
		return 0, err
	}
	var found db.AuditNextMeasurementRow
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) (err error) {
		found, err = db.New(tx).AuditNextMeasurement(ctx, db.AuditNextMeasurementParams{Every: auditEvery, Rest: auditRest})
		return err
	})
	if err != nil {
		return 0, err
	}
	a.record(found)
	return found.Idle, nil
}

func (a *Auditor) record(found db.AuditNextMeasurementRow) {
	a.Broken.Store(found.BrokenClients)
	if found.ClientID == nil {
		return // none was due
	}
	a.Audits.Add(1)
	a.Last.Store(time.Now().UnixNano())
	a.Took.Store(int64(found.Took))
	if found.Fault != nil {
		a.Differing.Add(1)
		a.log.Error("a client's measurement is broken: its requests are refused until 'clientintel measurement rebuild'",
			"client_id", found.ClientID.String(), "fault", *found.Fault)
	}
}
