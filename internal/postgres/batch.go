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

// How a batch comes about. ReadOnce reads a response of one query. Where no connection is
// free for its client, the request waits in the fair queue. When the queue grants a
// connection to one of a client's waiting requests, it removes some of those behind it,
// and the granted request runs their queries with its own: it sends all in one round trip,
// calls each query's reader with its result, and sends the reader's error to the query's
// channel. A request that stops waiting claims its query, which is then skipped; a query
// that is being read it waits for. An error of PostgreSQL aborts the transaction: each
// query after it is read alone, by its own request.

// commit ends a transaction in the round trip of its last query. It is a session
// statement, which sqlc cannot type.
var commit = Query{SQL: "COMMIT"}

// errRetryAlone is the result of a query that was not read because another one of its
// batch failed.
var errRetryAlone = errors.New("another query of the same round trip failed")

// batchedQuery is the only query of a response, and the reader of its rows.
type batchedQuery struct {
	query Query
	read  RowsReader
	// claimed is set once: by what reads the result or, before that, by the request that
	// no longer waits for it.
	claimed atomic.Bool
	// result receives the error of a query that another request runs.
	result chan error
}

// readRows reads the result, unless the request no longer waits for it.
func (q *batchedQuery) readRows(ctx context.Context, s *Snapshot, rows pgx.Rows) (err error) {
	defer rows.Close()
	if q.claimed.Swap(true) {
		return nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = &ReaderPanic{cause, debug.Stack()}
		}
	}()
	if err := q.read(ctx, s, rows); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

// ReaderPanic carries a reader's panic to the goroutine of its request, where ReadOnce
// panics with it. That goroutine's own stack does not show where the reader panicked.
type ReaderPanic struct {
	Cause any
	Stack []byte
}

func (p *ReaderPanic) Error() string { return fmt.Sprintf("%v\n%s", p.Cause, p.Stack) }

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
	q := &batchedQuery{query: only, read: fn, result: make(chan error, 1)}
	err := p.readQueued(ctx, clientID, q)
	if errors.Is(err, errRetryAlone) {
		err = p.readBatch(ctx, clientID, func() (*acquiredConn, error) { return p.acquire(ctx, clientID) }, q)
	}
	if broken, ok := errors.AsType[*ReaderPanic](err); ok {
		panic(broken)
	}
	return classify(err)
}

func (p *Pool) readQueued(ctx context.Context, clientID uuid.UUID, mine *batchedQuery) error {
	waiting, cancel := context.WithTimeout(ctx, p.acquireTimeout)
	granted, batched, err := p.queue.acquire(waiting, clientID, mine)
	cancel()
	if !granted {
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
	queries := make([]Query, 0, len(batched)+2)
	for _, q := range batched {
		queries = append(queries, q.query)
	}
	queries = append(queries, mine.query, commit)
	b, err := p.begin(ctx, clientID, take, queries)
	if err != nil {
		for _, q := range batched {
			q.result <- err
		}
		return err
	}
	defer b.conn.Release()
	// A connection left in a transaction is closed by the pool, never reused.
	defer b.tx.rollback()
	defer func() { _ = b.results.Close() }()
	for i, q := range batched {
		aborted, err := b.readResult(ctx, q)
		q.result <- err
		if aborted {
			for _, q := range batched[i+1:] {
				q.result <- errRetryAlone
			}
			return errRetryAlone
		}
	}
	if aborted, err := b.readResult(ctx, mine); err != nil || aborted {
		return err
	}
	if _, err := b.results.Exec(); err != nil { // COMMIT
		return err
	}
	b.tx.done = true
	return b.results.Close()
}

// readResult reads the next result for q, and reports whether its query aborted the
// transaction.
func (b *startedSnapshot) readResult(ctx context.Context, q *batchedQuery) (aborted bool, err error) {
	rows, err := b.results.Query()
	if err != nil {
		return true, err
	}
	err = q.readRows(ctx, b.snapshot, rows)
	return rows.Err() != nil, err
}
