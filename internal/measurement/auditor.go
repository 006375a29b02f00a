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
	// auditEvery is how often one client is audited, when there is time.
	auditEvery = 15 * time.Minute
	// auditRest is how many times longer than an audit the pause after it is,
	// over all servers together: audits take a hundredth of one processor at most.
	auditRest = 99
	// auditTimeout ends an audit in a database that has frozen. No audit takes as long.
	auditTimeout = time.Hour
	// checkEvery bounds how long a switched-off trigger stays unmarked.
	checkEvery = time.Minute
)

// Auditor audits canonical clients in the background of a server, one at a time,
// seldom. Several servers on one database share the work.
type Auditor struct {
	databaseURL string
	log         *slog.Logger

	// Audits counts this server's audits, Differing those that found a difference.
	// Broken is how many canonical clients are refused, as last seen.
	Audits, Differing, Broken atomic.Int64
	// Last is when this server last audited, since 1970 (0: never), and Took how long
	// that took, in nanoseconds.
	Last, Took atomic.Int64
}

// NewAuditor audits in the server's role.
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

// auditNext audits one client if one is due, and returns how long none will be. It
// connects for this once: between audits it holds nothing.
func (a *Auditor) auditNext(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, auditTimeout)
	defer cancel()
	pool, err := postgres.OpenPool(ctx, postgres.PoolSettings{
		URL: a.databaseURL, Size: 1, Application: "clientintel audit", // no statement timeout: an audit takes what it takes
	})
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	queries := db.New(pool)

	// A standby cannot write down what it finds, and leaves it to the primary.
	if standby, err := queries.IsStandby(ctx); err != nil || standby {
		return checkEvery, err
	}
	if err := queries.MergeLeftoverChanges(ctx); err != nil {
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
