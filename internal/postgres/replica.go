package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/clientintel/clientintel/internal/apierror"
)

// replayed is the commit time up to which a replica has caught up. It is asked
// before the snapshot is taken, so that the snapshot holds all of it. A server
// that is no standby, one that was promoted included, is asked by its clock:
// zero.
func (p *Pool) replayed(ctx context.Context, conn *pgx.Conn) (time.Time, error) {
	var standby bool
	var at *time.Time
	var now time.Time
	// Functions of the server, which sqlc cannot type as possibly null.
	err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery(), pg_last_xact_replay_timestamp(), statement_timestamp()").
		Scan(&standby, &at, &now)
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf("asking the replica how far it is: %w", err)
	case !standby:
		return time.Time{}, nil
	case at == nil:
		return time.Time{}, apierror.Unavailable(fmt.Errorf("%w: it has replayed nothing yet", errBehind))
	case now.Sub(*at) > p.maxLag:
		// A primary commits all the time: servers see to it where nobody asks.
		return time.Time{}, apierror.Unavailable(fmt.Errorf("%w: %s", errBehind, now.Sub(*at).Round(time.Millisecond)))
	}
	return *at, nil
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
