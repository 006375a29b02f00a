package measurement

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	// auditEvery is how often one client is audited, when there is time.
	auditEvery = 15 * time.Minute
	// auditRest is how many times longer than an audit the pause after it is,
	// over all servers together: audits take a hundredth of one processor at most.
	auditRest = 99
	// lookTimeout ends a look at a database that has frozen. No audit takes as long.
	lookTimeout = time.Hour
	// lookEvery bounds how long a switched-off trigger stays unmarked.
	lookEvery = time.Minute
)

// Watch audits canonical clients in the background of a server, one at a time,
// seldom. Several servers on one database share the work.
type Watch struct {
	databaseURL string
	log         *slog.Logger

	audits, differing, broken atomic.Int64
	last, took                atomic.Int64 // nanoseconds: since 1970; of the last audit
}

// NewWatch audits in the server's role.
func NewWatch(databaseURL string, log *slog.Logger) *Watch {
	return &Watch{databaseURL: databaseURL, log: log}
}

// Run audits until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	for {
		idle, err := w.look(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			w.log.Warn("auditing measurement in the background", "error", postgres.Loggable(err))
			idle = lookEvery
		}
		select {
		case <-time.After(min(max(idle, time.Second), lookEvery)):
		case <-ctx.Done():
			return
		}
	}
}

// look audits one client if one is due, and returns how long none will be. It
// connects for this once: between looks it holds nothing.
func (w *Watch) look(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	pool, err := postgres.OpenPool(ctx, postgres.PoolSettings{
		URL: w.databaseURL, Size: 1, Application: "clientintel audit", // no statement timeout: an audit takes what it takes
	})
	if err != nil {
		return 0, err
	}
	defer pool.Close()

	// A standby cannot write down what it finds, and leaves it to the primary.
	var standby bool
	if err := pool.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&standby); err != nil || standby {
		return lookEvery, err
	}
	if _, err := pool.Exec(ctx, "SELECT fold_leftover_changes()"); err != nil {
		return 0, err
	}
	var found looked
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT a.client_id, a.fault, a.took, a.idle, a.broken_clients
			FROM audit_next_measurement($1, $2) AS a`, auditEvery, auditRest)
		if err != nil {
			return err
		}
		found, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[looked])
		return err
	})
	if err != nil {
		return 0, err
	}
	w.note(found)
	return found.Idle, nil
}

// looked is a row of audit_next_measurement.
type looked struct {
	Client *uuid.UUID // nil: none was due
	Fault  *string
	Took   *time.Duration
	Idle   time.Duration
	Broken int64
}

func (w *Watch) note(l looked) {
	w.broken.Store(l.Broken)
	if l.Client == nil {
		return
	}
	w.audits.Add(1)
	w.last.Store(time.Now().UnixNano())
	w.took.Store(int64(*l.Took))
	if l.Fault != nil {
		w.differing.Add(1)
		w.log.Error("a client's measurement is broken: its requests are refused until 'clientintel measurement rebuild'",
			"client_id", l.Client.String(), "fault", *l.Fault)
	}
}

// Audits counts this server's audits.
func (w *Watch) Audits() int64 { return w.audits.Load() }

// Differing counts this server's audits that found a difference.
func (w *Watch) Differing() int64 { return w.differing.Load() }

// Broken is how many canonical clients are refused, as last seen.
func (w *Watch) Broken() float64 { return float64(w.broken.Load()) }

// Last is when this server last audited, in seconds since 1970; 0 for never.
func (w *Watch) Last() float64 { return time.Duration(w.last.Load()).Seconds() }

// Took is how many seconds this server's last audit took.
func (w *Watch) Took() float64 { return time.Duration(w.took.Load()).Seconds() }
