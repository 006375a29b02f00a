package postgres

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// cancelTimeout bounds how long an abandoned connection takes to close. pgx allows
// fifteen seconds, during which it still counts as one of the pool's: a pool full
// of them could not use a database that has recovered.
const cancelTimeout = time.Second

// limitCancelRequests bounds the cancel requests and the closing of a new connection.
func limitCancelRequests(_ context.Context, c *pgx.ConnConfig) error {
	var connected atomic.Bool
	dial := c.DialFunc
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if !connected.Load() {
			return dial(ctx, network, address)
		}
		// Later connections are for requests to cancel a statement.
		ctx, cancel := context.WithTimeout(ctx, cancelTimeout)
		defer cancel()
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.SetDeadline(time.Now().Add(cancelTimeout))
	}
	c.AfterNetConnect = func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		return cappedConn{conn}, nil
	}
	c.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		connected.Store(true)
		return nil
	}
	return nil
}

// cappedConn is a connection whose deadlines are at most cancelTimeout away.
type cappedConn struct{ net.Conn }

func (c cappedConn) SetDeadline(t time.Time) error {
	if latest := time.Now().Add(cancelTimeout); t.After(latest) {
		t = latest
	}
	return c.Conn.SetDeadline(t)
}
