package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// openTx is a transaction whose BEGIN was sent in a batch of ours: pgx's own
// would spend a round trip on it.
type openTx struct {
	conn *pgx.Conn
	done bool
}

var _ pgx.Tx = (*openTx)(nil)

func (t *openTx) Commit(ctx context.Context) error {
	if t.done {
		return pgx.ErrTxClosed
	}
	t.done = true
	_, err := t.conn.Exec(ctx, "COMMIT", pgx.QueryExecModeExec)
	return err
}

func (t *openTx) Rollback(ctx context.Context) error {
	if t.done {
		return pgx.ErrTxClosed
	}
	t.done = true
	_, err := t.conn.Exec(ctx, "ROLLBACK", pgx.QueryExecModeExec)
	return err
}

// rollback ends what fn left open. The caller may be gone, so its context is
// not asked; a connection that does not answer is closed.
func (t *openTx) rollback() {
	if t.done || t.conn.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := t.Rollback(ctx); err != nil {
		_ = t.conn.Close(ctx)
	}
}

func (t *openTx) Begin(context.Context) (pgx.Tx, error) { return nil, pgx.ErrTxClosed }

func (t *openTx) Conn() *pgx.Conn { return t.conn }

func (t *openTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (t *openTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.conn.Exec(ctx, sql, args...)
}

func (t *openTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.conn.Query(ctx, sql, args...)
}

func (t *openTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.conn.QueryRow(ctx, sql, args...)
}

func (t *openTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.conn.SendBatch(ctx, b)
}

func (t *openTx) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, pgx.ErrTxClosed
}

func (t *openTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	return t.conn.Prepare(ctx, name, sql)
}
