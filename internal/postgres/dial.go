package postgres

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// farewell is what a connection that was given up may take to end. pgx allows
// fifteen seconds, in which its place in the pool stays taken: a database that
// is back would find no room for that long.
const farewell = time.Second

// hurry bounds the farewells of a connection that is about to be made.
func hurry(_ context.Context, c *pgx.ConnConfig) error {
	var connected atomic.Bool
	dial := c.DialFunc
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if !connected.Load() {
			return dial(ctx, network, address)
		}
		// What is dialled from now on asks the server to cancel a statement.
		ctx, cancel := context.WithTimeout(ctx, farewell)
		defer cancel()
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.SetDeadline(time.Now().Add(farewell))
	}
	c.AfterNetConnect = func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		return hasty{conn}, nil
	}
	c.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		connected.Store(true)
		return nil
	}
	return nil
}

// hasty is a connection without deadlines far off.
type hasty struct{ net.Conn }

func (c hasty) SetDeadline(t time.Time) error {
	if latest := time.Now().Add(farewell); t.After(latest) {
		t = latest
	}
	return c.Conn.SetDeadline(t)
}
