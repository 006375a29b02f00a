package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/clientintel/clientintel/internal/apierror"
)

// replayed is the commit time up to which a replica has caught up, and how long ago
// that was. A server that is no standby, one that was promoted included, has no such
// time: zero.
func replayed(ctx context.Context, conn *pgx.Conn) (time.Time, time.Duration, error) {
	var standby bool
	var at *time.Time
	var now time.Time
	// Functions of the server, which sqlc cannot type as possibly null.
	err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery(), pg_last_xact_replay_timestamp(), statement_timestamp()").
		Scan(&standby, &at, &now)
	switch {
	case err != nil:
		return time.Time{}, 0, fmt.Errorf("asking the replica how far it is: %w", err)
	case !standby:
		return time.Time{}, 0, nil
	case at == nil:
		return time.Time{}, 0, apierror.Unavailable(fmt.Errorf("%w: it has replayed nothing yet", errBehind))
	}
	return *at, max(now.Sub(*at), 0), nil
}

// replayed is asked before the snapshot is taken, so that the snapshot holds all of
// it.
func (p *Pool) replayed(ctx context.Context, conn *pgx.Conn) (time.Time, error) {
	at, lag, err := replayed(ctx, conn)
	if lag > p.maxLag {
		// A primary commits all the time: servers see to it where there are no requests.
		err = apierror.Unavailable(fmt.Errorf("%w: %s", errBehind, lag.Round(time.Millisecond)))
	}
	return at, err
}

// CheckFresh tells whether a replica has caught up as far as its readers ask;
// any other server has.
func (p *Pool) CheckFresh(ctx context.Context) error {
	if p.maxLag == 0 {
		return nil
	}
	return p.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		_, err := p.replayed(ctx, conn.Conn())
		return err
	})
}
