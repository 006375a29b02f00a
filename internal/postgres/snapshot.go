package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
)

// Snapshot is one response's view of the database: a read-only REPEATABLE READ
// transaction whose client is set.
type Snapshot struct {
	tx pgx.Tx
	// AsOf is the database clock of the statement that took the snapshot; on a
	// standby, the commit time up to which it had caught up.
	AsOf time.Time
	// OnStandby is set if writes of the last moments may be missing.
	OnStandby bool
	// Measurement is the provenance of the client's numbers in this snapshot; nil when the
	// client is gone.
	Measurement *db.GetMeasurementRow
}

// Queries are the typed queries, inside the snapshot.
func (s *Snapshot) Queries() *db.Queries { return db.New(s.tx) }

// Tx is the snapshot's transaction, for statements that are not typed.
func (s *Snapshot) Tx() pgx.Tx { return s.tx }

// setClient sets the transaction's client, for row-level security, and its statement
// timeout, and reads its clock. It must be the first statement after the lock: the first
// one takes the snapshot. It, BEGIN and LOCK are session statements, which sqlc cannot
// type.
const setClient = `SELECT set_config('clientintel.client_id', $1::text, true), set_config('statement_timeout', $2::text, true), statement_timestamp()`

// holdInterviews blocks TRUNCATE and rewrites of the table, whose effect older snapshots
// would see, from before the snapshot to its end; writers never wait for it.
const holdInterviews = `LOCK TABLE interviews IN ACCESS SHARE MODE`

// Read runs fn in a snapshot of its own. Beginning, setting the client and reading the
// measurement take one round trip. Where the database is unavailable, the error is
// apierror.Unavailable, also where fn returned it.
func (p *Pool) Read(ctx context.Context, clientID uuid.UUID, fn func(context.Context, *Snapshot) error) error {
	return p.readEither(func(p *Pool, began func()) error {
		return p.read(ctx, clientID, func(ctx context.Context, s *Snapshot) error { began(); return fn(ctx, s) })
	})
}

// RowsReader reads the rows of a snapshot's only query. Rows that it leaves are
// skipped.
type RowsReader func(context.Context, *Snapshot, pgx.Rows) error

// Bounded bounds a context by the time that all reading for one response may take.
func (p *Pool) Bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.readTimeout > 0 {
		return context.WithTimeout(ctx, p.readTimeout)
	}
	return context.WithCancel(ctx)
}

func (p *Pool) read(ctx context.Context, clientID uuid.UUID, fn func(context.Context, *Snapshot) error) error {
	ctx, cancel := p.Bounded(ctx)
	defer cancel()
	b, err := p.begin(ctx, clientID, func() (*acquiredConn, error) { return p.acquire(ctx, clientID) }, nil)
	if err != nil {
		return classify(err)
	}
	defer b.conn.Release()
	// A connection left in a transaction is closed by the pool, never reused.
	defer b.tx.rollback()
	if err := b.results.Close(); err != nil {
		return classify(err)
	}
	if err := fn(ctx, b.snapshot); err != nil {
		return classify(err)
	}
	return classify(b.tx.end(ctx, "COMMIT"))
}

// startedSnapshot is a snapshot on its connection.
type startedSnapshot struct {
	conn     *acquiredConn
	tx       *openTx
	snapshot *Snapshot
	// results are those of the statements sent with BEGIN.
	results pgx.BatchResults
}

// begin takes a connection and, on it, a snapshot.
func (p *Pool) begin(
	ctx context.Context, clientID uuid.UUID, take func() (*acquiredConn, error), batched []Query,
) (*startedSnapshot, error) {
	b, err := p.tryBegin(ctx, clientID, take, batched)
	if err != nil && connectionLost(err) {
		// The database may have restarted under idle connections. Nothing was
		// read yet, so a fresh one may try again.
		p.Reset()
		b, err = p.tryBegin(ctx, clientID, func() (*acquiredConn, error) { return p.acquire(ctx, clientID) }, batched)
	}
	return b, err
}

func (p *Pool) tryBegin(
	ctx context.Context, clientID uuid.UUID, take func() (*acquiredConn, error), batched []Query,
) (*startedSnapshot, error) {
	conn, err := take()
	if err != nil {
		return nil, err
	}
	tx := &openTx{conn: conn.Conn.Conn()}
	b := &startedSnapshot{conn: conn, tx: tx, snapshot: &Snapshot{tx: tx}}
	var replayed time.Time
	if p.maxLag > 0 {
		if replayed, err = p.replayed(ctx, tx.conn); err != nil {
			conn.Release()
			return nil, err
		}
	}
	batch := &pgx.Batch{}
	batch.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	readHead := b.snapshot.readHead
	if tx.distributed = p.distributed.Load(); tx.distributed {
		readHead = b.snapshot.readDistributedHead
		batch.Queue(db.BeginRead, clientID, p.statementTimeout)
	} else {
		batch.Queue(holdInterviews)
		batch.Queue(setClient, clientID.String(), p.statementTimeout)
		batch.Queue(db.GetMeasurement, clientID)
	}
	for _, s := range batched {
		batch.Queue(tx.text(s.SQL), s.Args...)
	}
	b.results = conn.SendBatch(ctx, batch)
	if err := readHead(ctx, clientID, b.results); err != nil {
		_ = b.results.Close()
		tx.rollback()
		conn.Release()
		return nil, fmt.Errorf("taking a snapshot: %w", err)
	}
	if !replayed.IsZero() {
		b.snapshot.AsOf, b.snapshot.OnStandby = replayed, true
	}
	return b, nil
}

func (s *Snapshot) readHead(ctx context.Context, clientID uuid.UUID, results pgx.BatchResults) error {
	for range 2 { // BEGIN, the lock
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	if err := results.QueryRow().Scan(nil, nil, &s.AsOf); err != nil {
		return err
	}
	found, err := db.New(&rowsDB{row: results.QueryRow()}).GetMeasurement(ctx, clientID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	s.Measurement = &found
	return err
}
