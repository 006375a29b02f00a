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

// commit ends a transaction in the round trip that asks its last question.
var commit = Statement{SQL: "COMMIT"}

// errAskAgain tells a question that those it went along with spoiled its chance:
// nothing of its answer was read.
var errAskAgain = errors.New("another question of the same round trip failed")

// question is all that one response asks of a snapshot: one statement, and who
// reads its rows.
type question struct {
	statement Statement
	read      RowsReader
	// taken tells, under the line's lock, that it is out of the line.
	taken  bool
	state  atomic.Int32
	answer chan error
}

const (
	waits int32 = iota
	isRead
	givenUp
)

func (q *question) giveUp() bool { return q.state.CompareAndSwap(waits, givenUp) }

// take reads the answer, unless nobody waits for it any more.
func (q *question) take(ctx context.Context, s *Snapshot, rows pgx.Rows) (err error) {
	defer rows.Close()
	if !q.state.CompareAndSwap(waits, isRead) {
		return nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicked{cause, debug.Stack()}
		}
	}()
	if err := q.read(ctx, s, rows); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

// panicked carries a reader's panic to whoever asked.
type panicked struct {
	cause any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("%v\n%s", p.cause, p.stack) }

// ReadOnce is ReadFirst for a snapshot of one statement: the end goes along too,
// so that the whole of it is one round trip. fn can ask nothing else, and may run
// on another goroutine.
//
// Whoever finds no connection free waits, and is asked along with others of the
// same client: they share a snapshot that began after all of them came.
// Beginning, proof and end cost as much as half a page, and are paid once.
func (p *Pool) ReadOnce(ctx context.Context, clientID uuid.UUID, only Statement, fn RowsReader) error {
	ctx, cancel := p.bounded(ctx)
	defer cancel()
	q := &question{statement: only, read: fn, answer: make(chan error, 1)}
	err := p.askInLine(ctx, clientID, q)
	if errors.Is(err, errAskAgain) {
		q = &question{statement: only, read: fn, answer: make(chan error, 1)}
		err = p.ask(ctx, clientID, func() (*lease, error) { return p.acquire(ctx, clientID) }, q)
	}
	var broken *panicked
	if errors.As(err, &broken) {
		panic(broken)
	}
	return classify(err)
}

func (p *Pool) askInLine(ctx context.Context, clientID uuid.UUID, mine *question) error {
	waiting, cancel := context.WithTimeout(ctx, p.acquireTimeout)
	place, along, err := p.line.joinOrAsk(waiting, clientID, mine)
	cancel()
	switch {
	case err != nil && mine.state.Load() != isRead:
		return fmt.Errorf("waiting for a connection: %w", err)
	case !place:
		return err
	}
	if len(along) > 0 {
		// The others do not depend on whether my caller still waits.
		end, bounded := ctx.Deadline()
		ctx = context.WithoutCancel(ctx)
		if bounded {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, end)
			defer cancel()
		}
	}
	return p.ask(ctx, clientID, func() (*lease, error) { return p.connect(ctx, 1+len(along)) }, mine, along...)
}

// ask asks all questions in one round trip on one connection. It answers those
// taken along and returns what became of mine.
func (p *Pool) ask(
	ctx context.Context, clientID uuid.UUID, take func() (*lease, error), mine *question, along ...*question,
) error {
	statements := make([]Statement, 0, len(along)+2)
	for _, q := range along {
		statements = append(statements, q.statement)
	}
	statements = append(statements, mine.statement, commit)
	b, err := p.begin(ctx, clientID, take, statements)
	if err != nil {
		for _, q := range along {
			q.answer <- err
		}
		return err
	}
	defer b.conn.Release()
	// A connection left in a transaction is closed by the pool, never reused.
	defer b.tx.rollback()
	for i, q := range along {
		err := b.answer(ctx, q)
		q.answer <- err
		if b.failed {
			for _, q := range along[i+1:] {
				q.answer <- errAskAgain
			}
			_ = b.results.Close()
			return errAskAgain
		}
	}
	if err := b.answer(ctx, mine); err != nil || b.failed {
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

// answer reads the next statement's rows for q, and notes when the database
// refuses to go on.
func (b *begun) answer(ctx context.Context, q *question) error {
	rows, err := b.results.Query()
	if err != nil {
		b.failed = true
		return err
	}
	err = q.take(ctx, b.snapshot, rows)
	b.failed = rows.Err() != nil
	return err
}
