package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/clientintel/clientintel/internal/apierror"
)

// errBehind is the error of a standby that is further behind than maxLag.
var errBehind = errors.New("the standby does not keep up with the primary")

// Lag is how far the standby was behind when it was last checked; negative: it did not
// respond.
func (p *Pool) Lag() time.Duration { return time.Duration(p.lag.Load()) }

// CheckFresh measures how far the standby is behind. It returns an error if that is more
// than maxLag, and nil for a pool on the primary.
func (p *Pool) CheckFresh(ctx context.Context) error {
	if p.maxLag == 0 {
		return nil
	}
	return p.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		_, err := p.replayed(ctx, conn.Conn())
		return err
	})
}

// replayed is the commit time up to which the standby has caught up, or an error if it is
// further behind than maxLag. It must be read before the snapshot is taken, so that the
// snapshot has all that was committed until then. It is zero after a promotion.
func (p *Pool) replayed(ctx context.Context, conn *pgx.Conn) (time.Time, error) {
	var standby bool
	var at *time.Time
	var now time.Time
	// Functions of the server, which sqlc cannot type as possibly null.
	err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery(), pg_last_xact_replay_timestamp(), statement_timestamp()").
		Scan(&standby, &at, &now)
	switch {
	case err != nil:
		p.lag.Store(int64(-time.Second))
		return time.Time{}, fmt.Errorf("reading how far the standby has caught up: %w", err)
	case !standby:
		p.lag.Store(0)
		return time.Time{}, nil
	case at == nil:
		return time.Time{}, apierror.Unavailable(fmt.Errorf("%w: it has replayed nothing yet", errBehind))
	}
	lag := max(now.Sub(*at), 0)
	p.lag.Store(int64(lag))
	if lag > p.maxLag {
		// Servers commit on the primary regularly, so a large lag is a real one.
		err = apierror.Unavailable(fmt.Errorf("%w: %s", errBehind, lag.Round(time.Millisecond)))
	}
	return *at, err
}
