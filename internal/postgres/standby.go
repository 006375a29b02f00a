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

// errBehind says that a standby is further behind than its readers allow.
var errBehind = errors.New("the replica does not keep up with the primary")

// standby is what is known of the standby that a pool reads from.
type standby struct {
	// fallback reads from the primary instead; nil: nothing does.
	fallback *Pool
	down     atomic.Bool
	lag      atomic.Int64 // nanoseconds; negative: it does not answer
	switches atomic.Int64

	mu    sync.Mutex
	probe *pgx.Conn // a connection of its own: a full pool says nothing of the standby
}

// Serving is the pool that reads are answered from now.
func (p *Pool) Serving() *Pool {
	if p.standby.fallback != nil && p.standby.down.Load() {
		return p.standby.fallback
	}
	return p
}

// Fallback is the pool on the primary that stands in for the standby; nil: none
// does.
func (p *Pool) Fallback() *Pool { return p.standby.fallback }

// FellBack tells whether reads go to the primary in the standby's place.
func (p *Pool) FellBack() bool { return p.Serving() != p }

// Switches counts how often reads changed between standby and primary.
func (p *Pool) Switches() int64 { return p.standby.switches.Load() }

// Lag is how far the standby was behind when it was last looked at; negative: it
// did not answer.
func (p *Pool) Lag() time.Duration { return time.Duration(p.standby.lag.Load()) }

func (p *Pool) setDown(down bool) {
	if p.standby.fallback != nil && p.standby.down.Swap(down) != down {
		p.standby.switches.Add(1)
	}
}

// CheckStandby looks at the standby and decides where reads go. They go back to it
// once it is well within its bound, so that they do not go to and fro.
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
			return 0, fmt.Errorf("connecting to the replica: %w", err)
		}
	}
	_, lag, err := replayed(ctx, s.probe)
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

// readEither reads from the standby, or from the primary where the standby is
// down or turns out to be. What has begun to be read is not read again: read
// calls began then.
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
