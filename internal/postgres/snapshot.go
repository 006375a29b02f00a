package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/clientintel/clientintel/gen/db"
)

// Snapshot is one response's view of the database: a read-only REPEATABLE READ
// transaction whose client is set. It begins with its first query: BEGIN, the client and
// the measurement travel in that query's round trip. It is the db.DBTX of the generated
// queries, and is not safe for concurrent use.
type Snapshot struct {
	// AsOf is the database clock of the statement that took the snapshot; on a
	// standby, the commit time up to which it had caught up.
	AsOf time.Time
	// OnStandby is set if writes of the last moments may be missing.
	OnStandby bool
	// Measurement is the provenance of the client's numbers in this snapshot.
	Measurement db.BeginReadRow

	pool     *Pool
	clientID uuid.UUID
	// once is set if the first query is the only one: COMMIT travels with it.
	once bool
	// began is called when the fields above are set, before the first query's rows are
	// read. Its error ends the snapshot.
	began func(*Snapshot) error

	conn  *pgxpool.Conn // nil before the first query
	batch pgx.BatchResults
	// open is set while the transaction is.
	open bool
	err  error // of the end of the first round trip
}

// Reading is how a snapshot is read.
type Reading struct {
	ClientID uuid.UUID
	// Once is set if fn runs one query only: the snapshot is then one round trip.
	Once bool
	// Began, if set, is called with the measurement read, before the first query's rows are.
	Began func(*Snapshot) error
}

// Read runs fn in a snapshot, which begins with fn's first query. Where the database is
// unavailable, the error is apierror.Unavailable, also where fn returned it.
func (p *Pool) Read(ctx context.Context, r Reading, fn func(context.Context, *Snapshot) error) error {
	if p.readTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.readTimeout)
		defer cancel()
	}
	s := &Snapshot{pool: p, clientID: r.ClientID, once: r.Once, began: r.Began}
	defer func() { _ = s.end(ctx, false) }() // where fn failed or panicked
	err := fn(ctx, s)
	if err == nil {
		err = s.end(ctx, true)
	}
	return classify(err)
}

// Queries are the typed queries, inside the snapshot.
func (s *Snapshot) Queries() *db.Queries { return db.New(s) }

// Query runs a query.
func (s *Snapshot) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if s.open && s.batch == nil {
		rows, err := s.conn.Query(ctx, s.pool.text(sql), args...)
		return scannedRows{rows}, err
	}
	if err := s.begin(ctx, sql, args); err != nil {
		return nil, err
	}
	rows, err := s.batch.Query()
	return &firstRows{scannedRows{rows}, s}, err
}

// QueryRow runs a query of one row.
func (s *Snapshot) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if s.open && s.batch == nil {
		return s.conn.QueryRow(ctx, sql, args...)
	}
	if err := s.begin(ctx, sql, args); err != nil {
		return failedRow{err}
	}
	return firstRow{s.batch.QueryRow(), s}
}

// Exec runs a statement.
func (s *Snapshot) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if s.open && s.batch == nil {
		return s.conn.Exec(ctx, sql, args...)
	}
	if err := s.begin(ctx, sql, args); err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := s.batch.Exec()
	s.endBatch()
	return tag, err
}

// errOnlyQuery is the error of a second query in a snapshot of one: outside its transaction
// row-level security would hide every row.
var errOnlyQuery = errors.New("a second query in a snapshot of one, or before the first one was read")

// begin sends the first query and what begins the snapshot, and reads the results of the
// latter.
func (s *Snapshot) begin(ctx context.Context, sql string, args []any) error {
	if s.conn != nil {
		return errOnlyQuery
	}
	err := s.tryBegin(ctx, sql, args)
	if err != nil && connectionLost(err) {
		// The database may have restarted under idle connections. Nothing was read yet, so
		// another connection may try again.
		_ = s.end(ctx, false)
		s.pool.Reset()
		err = s.tryBegin(ctx, sql, args)
	}
	if err != nil {
		return fmt.Errorf("taking a snapshot: %w", err)
	}
	if s.began == nil {
		return nil
	}
	return s.began(s)
}

func (s *Snapshot) tryBegin(ctx context.Context, sql string, args []any) error {
	var err error
	if s.conn, err = s.pool.acquire(ctx, s.clientID); err != nil {
		return err
	}
	var replayed time.Time
	if s.pool.maxLag > 0 {
		if replayed, err = s.pool.replayed(ctx, s.conn.Conn()); err != nil {
			return err
		}
	}
	batch := &pgx.Batch{}
	batch.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	// It sets the client, for row-level security, and takes the snapshot.
	batch.Queue(db.BeginRead, s.clientID, s.pool.statementTimeout)
	batch.Queue(s.pool.text(sql), args...)
	if s.once {
		batch.Queue("COMMIT")
	}
	s.open = true
	s.batch = s.conn.SendBatch(ctx, batch)
	if _, err := s.batch.Exec(); err != nil {
		return err
	}
	state, _ := s.batch.Query() // CollectExactlyOneRow returns its error
	if s.Measurement, err = pgx.CollectExactlyOneRow(state, pgx.RowToStructByPos[db.BeginReadRow]); err != nil {
		return err
	}
	if s.AsOf = s.Measurement.AsOf; !replayed.IsZero() {
		s.AsOf, s.OnStandby = replayed, true
	}
	return nil
}

// endBatch reads the rest of the first round trip.
func (s *Snapshot) endBatch() {
	if s.batch != nil {
		s.err = s.batch.Close()
		s.batch = nil
		s.open = !s.once || s.err != nil
	}
}

// end ends the snapshot and gives its connection back. A connection whose transaction
// cannot be ended is closed.
func (s *Snapshot) end(ctx context.Context, commit bool) error {
	if s.conn == nil {
		return nil
	}
	s.endBatch()
	err := s.err
	if s.open && err == nil && commit {
		_, err = s.conn.Exec(ctx, "COMMIT", pgx.QueryExecModeExec)
		s.open = err != nil
	}
	if s.open && !s.conn.Conn().IsClosed() {
		// The request may have been cancelled, so its context is not used.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := s.conn.Exec(ctx, "ROLLBACK", pgx.QueryExecModeExec); err != nil {
			_ = s.conn.Conn().Close(ctx)
		}
	}
	s.conn.Release()
	s.pool.slots.Release(s.clientID)
	s.conn, s.open = nil, false
	return err
}

// firstRows are the first query's rows; what follows them ends with them.
type firstRows struct {
	scannedRows
	s *Snapshot
}

// Close ends the first round trip.
func (r *firstRows) Close() {
	r.Rows.Close()
	r.s.endBatch()
}

type firstRow struct {
	pgx.Row
	s *Snapshot
}

// Scan ends the first round trip.
func (r firstRow) Scan(to ...any) error {
	err := r.Row.Scan(to...)
	r.s.endBatch()
	return err
}

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }
