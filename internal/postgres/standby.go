package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/clientintel/clientintel/internal/apierror"
)

// errBehind is the error of a standby that is further behind than maxLag.
var errBehind = errors.New("the standby does not keep up with the primary")

// standby is the state of the standby that a pool reads from.
type standby struct {
	// fallback is the pool on the primary that is read while the standby is down; nil:
	// none is.
	fallback *Pool
	down     atomic.Bool
	lag      atomic.Int64 // nanoseconds; negative: it did not respond
	switches atomic.Int64

	mu    sync.Mutex
	probe *pgx.Conn // not one of the pool, which may be full while the standby is well
}

// Serving is the pool that is read now.
func (p *Pool) Serving() *Pool {
	if p.standby.fallback != nil && p.standby.down.Load() {
		return p.standby.fallback
	}
	return p
}

// Fallback is the pool on the primary that is read while the standby is down; nil: none
// is.
func (p *Pool) Fallback() *Pool { return p.standby.fallback }

// FellBack reports whether the primary is read in the standby's place.
func (p *Pool) FellBack() bool { return p.Serving() != p }

// Switches counts how often reads changed between standby and primary.
func (p *Pool) Switches() int64 { return p.standby.switches.Load() }

// Lag is how far the standby was behind when it was last checked; negative: it did not
// respond.
func (p *Pool) Lag() time.Duration { return time.Duration(p.standby.lag.Load()) }

func (p *Pool) setDown(down bool) {
	if p.standby.fallback != nil && p.standby.down.Swap(down) != down {
		p.standby.switches.Add(1)
	}
}

// CheckStandby measures how far the standby is behind, and decides whether it is read. It
// is read again once its lag is half of what is allowed, so that reads do not switch to
// and fro.
func (p *Pool) CheckStandby(ctx context.Context) error {
	lag, err := p.measureLag(ctx)
	if err != nil {
		p.standby.lag.Store(int64(-time.Second))
		p.setDown(true)
		return err
	}
	p.standby.lag.Store(int64(lag))
	switch {
	case lag > p.maxLag:
		p.setDown(true)
		return fmt.Errorf("%w: %s", errBehind, lag.Round(time.Millisecond))
	case lag <= p.maxLag/2:
		p.setDown(false)
	}
	return nil
}

func (p *Pool) measureLag(ctx context.Context) (time.Duration, error) {
	s := &p.standby
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.probe == nil || s.probe.IsClosed() {
		config := p.Config().ConnConfig
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		var err error
		if s.probe, err = pgx.ConnectConfig(ctx, config); err != nil {
			return 0, fmt.Errorf("connecting to the standby: %w", err)
		}
	}
	_, lag, err := readReplayed(ctx, s.probe)
	if err != nil {
		_ = s.probe.Close(context.WithoutCancel(ctx))
	}
	return lag, err
}

// Close closes the connections, those of the fallback included.
func (p *Pool) Close() {
	p.Pool.Close()
	p.standby.mu.Lock()
	if p.standby.probe != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = p.standby.probe.Close(ctx)
	}
	p.standby.mu.Unlock()
	if p.standby.fallback != nil {
		p.standby.fallback.Close()
	}
}

// readEither reads from the standby, or from the primary where the standby is down or
// fails. read calls began once it has a snapshot: what fails after that is not read again.
func (p *Pool) readEither(read func(p *Pool, began func()) error) error {
	if p.standby.fallback == nil {
		return read(p, func() {})
	}
	if !p.standby.down.Load() {
		var begun atomic.Bool
		err := read(p, func() { begun.Store(true) })
		if begun.Load() || !standbyLost(err) {
			return err
		}
		p.setDown(true)
	}
	return read(p.standby.fallback, func() {})
}

func standbyLost(err error) bool {
	return err != nil && (errors.Is(err, errBehind) || connectionLost(err) || SQLState(err) == "57P03")
}

// readReplayed reads the commit time up to which a standby has caught up, and how long ago
// that was. Both are zero for a server that is no standby, as after a promotion.
func readReplayed(ctx context.Context, conn *pgx.Conn) (time.Time, time.Duration, error) {
	var standby bool
	var at *time.Time
	var now time.Time
	// Functions of the server, which sqlc cannot type as possibly null.
	err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery(), pg_last_xact_replay_timestamp(), statement_timestamp()").
		Scan(&standby, &at, &now)
	switch {
	case err != nil:
		return time.Time{}, 0, fmt.Errorf("reading how far the standby has caught up: %w", err)
	case !standby:
		return time.Time{}, 0, nil
	case at == nil:
		return time.Time{}, 0, apierror.Unavailable(fmt.Errorf("%w: it has replayed nothing yet", errBehind))
	}
	return *at, max(now.Sub(*at), 0), nil
}

// replayed is the commit time up to which the standby has caught up, or an error if it is
// further behind than maxLag. It must be read before the snapshot is taken, so that the
// snapshot has all that was committed until then.
func (p *Pool) replayed(ctx context.Context, conn *pgx.Conn) (time.Time, error) {
	at, lag, err := readReplayed(ctx, conn)
	if lag > p.maxLag {
		// Servers commit on the primary regularly, so a large lag is a real one.
		err = apierror.Unavailable(fmt.Errorf("%w: %s", errBehind, lag.Round(time.Millisecond)))
	}
	return at, err
}

// CheckFresh returns an error if this is a standby that is further behind than maxLag.
func (p *Pool) CheckFresh(ctx context.Context) error {
	if p.maxLag == 0 {
		return nil
	}
	return p.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		_, err := p.replayed(ctx, conn.Conn())
		return err
	})
}
