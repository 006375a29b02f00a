package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// openTx is a transaction whose BEGIN was sent in a batch: pgx's own would spend a round
// trip on it. Of pgx.Tx it implements what readers use; other methods panic.
type openTx struct {
	pgx.Tx
	conn *pgx.Conn
	done bool
	// distributed reports whether tables are distributed over workers.
	distributed bool
}

func (t *openTx) text(sql string) string {
	if t.distributed {
		return distributedText(sql)
	}
	return sql
}

// end commits or rolls back.
func (t *openTx) end(ctx context.Context, how string) error {
	t.done = true
	_, err := t.conn.Exec(ctx, how, pgx.QueryExecModeExec)
	return err
}

// rollback ends the transaction that fn left open. The request may have been cancelled, so
// its context is not used; a connection that does not respond is closed.
func (t *openTx) rollback() {
	if t.done || t.conn.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := t.end(ctx, "ROLLBACK"); err != nil {
		_ = t.conn.Close(ctx)
	}
}

func (t *openTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.conn.Exec(ctx, t.text(sql), args...)
}

func (t *openTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.conn.Query(ctx, t.text(sql), args...)
}

func (t *openTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.conn.QueryRow(ctx, t.text(sql), args...)
}

func (t *openTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, q := range b.QueuedQueries {
		q.SQL = t.text(q.SQL)
	}
	return t.conn.SendBatch(ctx, b)
}
