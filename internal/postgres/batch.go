package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// commit ends a transaction in the round trip of its last query. It is a session
// statement, which sqlc cannot type.
var commit = Query{SQL: "COMMIT"}

// errRetryAlone says that another query of the batch failed and that nothing of
// this query's result was read.
var errRetryAlone = errors.New("another query of the same round trip failed")

// batchedQuery is the only query of a response, and the reader of its rows.
type batchedQuery struct {
	statement Query
	read      RowsReader
	// taken, under the queue's lock, says that a batch has taken the query.
	taken  bool
	state  atomic.Int32
	result chan error
}

const (
	statePending int32 = iota
	stateReading
	stateAbandoned
)

// readRows reads the result, unless the request was abandoned.
func (q *batchedQuery) readRows(ctx context.Context, s *Snapshot, rows pgx.Rows) (err error) {
	defer rows.Close()
	if !q.state.CompareAndSwap(statePending, stateReading) {
		return nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = &readerPanic{cause, debug.Stack()}
		}
	}()
	if err := q.read(ctx, s, rows); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

// readerPanic carries a reader's panic to the goroutine of its request.
type readerPanic struct {
	cause any
	stack []byte
}

func (p *readerPanic) Error() string { return fmt.Sprintf("%v\n%s", p.cause, p.stack) }

// ReadOnce is Read for a snapshot of one query, which is sent along with the
// beginning and the end: the whole of it is one round trip. fn can run no other
// query, and may run on another goroutine.
//
// Queries of one client that wait for a connection are sent as one batch: they
// share a snapshot that began after all of them arrived. BEGIN, the measurement
// and COMMIT cost as much as half a page, and are paid once.
func (p *Pool) ReadOnce(ctx context.Context, clientID uuid.UUID, only Query, fn RowsReader) error {
	return p.readEither(func(p *Pool, began func()) error {
		return p.readOnce(ctx, clientID, only, func(ctx context.Context, s *Snapshot, rows pgx.Rows) error { began(); return fn(ctx, s, rows) })
	})
}

func (p *Pool) readOnce(ctx context.Context, clientID uuid.UUID, only Query, fn RowsReader) error {
	ctx, cancel := p.Bounded(ctx)
	defer cancel()
	q := &batchedQuery{statement: only, read: fn, result: make(chan error, 1)}
	err := p.readQueued(ctx, clientID, q)
	if errors.Is(err, errRetryAlone) {
		q = &batchedQuery{statement: only, read: fn, result: make(chan error, 1)}
		err = p.readBatch(ctx, clientID, func() (*acquiredConn, error) { return p.acquire(ctx, clientID) }, q)
	}
	if broken, ok := errors.AsType[*readerPanic](err); ok {
		panic(broken)
	}
	return classify(err)
}

func (p *Pool) readQueued(ctx context.Context, clientID uuid.UUID, mine *batchedQuery) error {
	waiting, cancel := context.WithTimeout(ctx, p.acquireTimeout)
	place, batched, err := p.queue.acquireOrBatch(waiting, clientID, mine)
	cancel()
	switch {
	case err != nil && mine.state.Load() != stateReading:
		return fmt.Errorf("waiting for a connection: %w", err)
	case !place:
		return err
	}
	if len(batched) > 0 {
		// The other queries must not end when this caller disconnects.
		end, bounded := ctx.Deadline()
		ctx = context.WithoutCancel(ctx)
		if bounded {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, end)
			defer cancel()
		}
	}
	return p.readBatch(ctx, clientID, func() (*acquiredConn, error) { return p.connect(ctx, clientID, 1+len(batched)) }, mine, batched...)
}

// readBatch sends all queries in one round trip on one connection. It delivers the
// results of the batched queries and returns that of mine.
func (p *Pool) readBatch(
	ctx context.Context, clientID uuid.UUID, take func() (*acquiredConn, error), mine *batchedQuery, batched ...*batchedQuery,
) error {
	statements := make([]Query, 0, len(batched)+2)
	for _, q := range batched {
		statements = append(statements, q.statement)
	}
	statements = append(statements, mine.statement, commit)
	b, err := p.begin(ctx, clientID, take, statements)
	if err != nil {
		for _, q := range batched {
			q.result <- err
		}
		return err
	}
	defer b.conn.Release()
	// A connection left in a transaction is closed by the pool, never reused.
	defer b.tx.rollback()
	for i, q := range batched {
		err := b.readResult(ctx, q)
		q.result <- err
		if b.failed {
			for _, q := range batched[i+1:] {
				q.result <- errRetryAlone
			}
			_ = b.results.Close()
			return errRetryAlone
		}
	}
	if err := b.readResult(ctx, mine); err != nil || b.failed {
		_ = b.results.Close()
		return err
	}
	if _, err := b.results.Exec(); err != nil { // COMMIT
		_ = b.results.Close()
		return err
	}
	b.tx.done = true
	return b.results.Close()
}

// readResult reads the next statement's rows for q, and records a failure that
// aborts the transaction.
func (b *startedSnapshot) readResult(ctx context.Context, q *batchedQuery) error {
	rows, err := b.results.Query()
	if err != nil {
		b.failed = true
		return err
	}
	err = q.readRows(ctx, b.snapshot, rows)
	b.failed = rows.Err() != nil
	return err
}
