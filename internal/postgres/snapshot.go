package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/clientintel/clientintel/gen/db"
)

// Snapshot is one response's view of the database: a read-only REPEATABLE READ
// transaction whose client is set.
type Snapshot struct {
	tx pgx.Tx
	// AsOf is the database clock of the statement that took the snapshot.
	AsOf time.Time
	// Measurement vouches for the client's numbers in this snapshot.
	// Nil when the client is gone.
	Measurement *db.GetMeasurementRow
}

// Queries are the typed queries, inside the snapshot.
func (s *Snapshot) Queries() *db.Queries { return db.New(s.tx) }

// Tx is the snapshot's transaction, for statements that are not typed.
func (s *Snapshot) Tx() pgx.Tx { return s.tx }

// The transaction's client, for row-level security, and its clock. It must be
// the first statement after the lock: the first one takes the snapshot.
const setClient = `SELECT set_config('clientintel.client_id', $1::text, true), statement_timestamp()`

// TRUNCATE and rewrites of a table show through older snapshots. Held from
// before the snapshot to its end, this lock keeps them away; writers never wait
// for it.
const holdInterviews = `LOCK TABLE interviews IN ACCESS SHARE MODE`

// Read runs fn in a snapshot of its own. Beginning, setting the client and
// reading the measurement take one round trip. A database out of reach or too
// slow comes back as a fault; so does an error of fn that stems from it.
func (p *Pool) Read(ctx context.Context, clientID uuid.UUID, fn func(context.Context, *Snapshot) error) error {
	return classify(p.read(ctx, clientID, fn))
}

func (p *Pool) read(ctx context.Context, clientID uuid.UUID, fn func(context.Context, *Snapshot) error) error {
	conn, tx, snapshot, err := p.begin(ctx, clientID)
	if err != nil && connectionLost(err) {
		// The database may have restarted under idle connections. Nothing was
		// read yet, so a fresh one may try again.
		p.Reset()
		conn, tx, snapshot, err = p.begin(ctx, clientID)
	}
	if err != nil {
		return err
	}
	defer conn.Release()
	// A connection left in a transaction is closed by the pool, never reused.
	defer tx.rollback()
	if err := fn(ctx, snapshot); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// begin takes a connection and a snapshot on it.
func (p *Pool) begin(ctx context.Context, clientID uuid.UUID) (*pgxpool.Conn, *openTx, *Snapshot, error) {
	conn, err := p.acquire(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	tx := &openTx{conn: conn.Conn()}
	snapshot := &Snapshot{tx: tx}
	head := &pgx.Batch{}
	head.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	head.Queue(holdInterviews)
	head.Queue(setClient, clientID.String())
	head.Queue(db.GetMeasurement, clientID)
	if err := snapshot.readHead(conn.SendBatch(ctx, head)); err != nil {
		tx.rollback()
		conn.Release()
		return nil, nil, nil, fmt.Errorf("taking a snapshot: %w", err)
	}
	return conn, tx, snapshot, nil
}

func (s *Snapshot) readHead(results pgx.BatchResults) error {
	defer results.Close()
	for range 2 { // BEGIN, the lock
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	var setting string
	if err := results.QueryRow().Scan(&setting, &s.AsOf); err != nil {
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[db.GetMeasurementRow])
	if err != nil {
		return err
	}
	if len(found) > 0 {
		s.Measurement = &found[0]
	}
	return results.Close()
}
