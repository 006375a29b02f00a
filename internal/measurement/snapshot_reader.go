package measurement

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/postgres"
)

// SnapshotReader opens the snapshots that responses are read in.
type SnapshotReader struct {
	pool *postgres.Pool
	// maxBasis bounds the interviews a basis may name: a response's size stays bounded.
	maxBasis int
	bases    *basisCache
	// states maps client ids to the state in which the client was last read.
	states sync.Map
}

// NewSnapshotReader reads through the pool. maxBasis is the most ids that a basis holds.
func NewSnapshotReader(pool *postgres.Pool, maxBasis int) *SnapshotReader {
	return &SnapshotReader{pool: pool, maxBasis: maxBasis, bases: newBasisCache(basisCacheBytes)}
}

// Snapshot is the snapshot that one response is read in, with the provenance of its
// numbers.
type Snapshot struct {
	*postgres.Snapshot
	Provenance Provenance

	reader *SnapshotReader
	state  state
}

// state is what a cached basis depends on: the mode and, if canonical, the membership's
// version.
type state struct {
	mode Mode
	version
}

// version identifies a membership with every member's id, created_at, status and
// campaign: equal for equal memberships.
type version struct {
	members     int64
	fingerprint string
}

// Bounded bounds a context by the time that all reads for one response may take, for a
// response that is read in more than one snapshot.
func (r *SnapshotReader) Bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return r.pool.Bounded(ctx)
}

// Read runs fn in one read-only snapshot of the caller's client. For a canonical
// client the measurement is proven before fn runs; a measurement that cannot be
// proven is an error, never a guess.
func (r *SnapshotReader) Read(ctx context.Context, caller auth.Caller, fn func(context.Context, *Snapshot) error) error {
	return r.pool.Read(ctx, caller.ClientID, func(ctx context.Context, s *postgres.Snapshot) error {
		snapshot, err := r.snapshot(caller, s)
		if err != nil {
			return err
		}
		return fn(ctx, snapshot)
	})
}

// RowsReader reads the rows of a snapshot's only query, after the measurement was
// proven.
type RowsReader func(ctx context.Context, in *Snapshot, rows pgx.Rows) error

// ReadOnce is Read for a snapshot of one query, whose rows it passes to fn. fn must run no
// other query, and may be called on another goroutine.
func (r *SnapshotReader) ReadOnce(ctx context.Context, caller auth.Caller, only postgres.Query, fn RowsReader) error {
	return r.pool.ReadOnce(ctx, caller.ClientID, only, func(ctx context.Context, s *postgres.Snapshot, rows pgx.Rows) error {
		snapshot, err := r.snapshot(caller, s)
		if err != nil {
			return err
		}
		return fn(ctx, snapshot, rows)
	})
}

// ReadRows is ReadOnce for the query of a generated method, whose scanned rows it passes
// to fn. If query calls no method, there are none.
func ReadRows[Row any](
	ctx context.Context, r *SnapshotReader, caller auth.Caller,
	query func(*db.Queries) ([]Row, error), fn func(in *Snapshot, rows []Row) error,
) error {
	only := postgres.QueryOf(func(queries *db.Queries) { _, _ = query(queries) })
	if only.SQL == "" {
		return r.Read(ctx, caller, func(_ context.Context, in *Snapshot) error { return fn(in, nil) })
	}
	return r.ReadOnce(ctx, caller, only, func(_ context.Context, in *Snapshot, sent pgx.Rows) error {
		rows, err := query(postgres.QueriesOn(sent))
		if err != nil {
			return err
		}
		return fn(in, rows)
	})
}

func (r *SnapshotReader) snapshot(caller auth.Caller, s *postgres.Snapshot) (*Snapshot, error) {
	provenance, err := prove(s)
	if err != nil {
		return nil, err
	}
	now := state{mode: provenance.Mode}
	if now.mode == Canonical {
		now.version = version{members: provenance.Total, fingerprint: s.Measurement.Fingerprint}
	}
	if last, _ := r.states.Load(caller.ClientID); last != now {
		r.states.Store(caller.ClientID, now)
	}
	return &Snapshot{Snapshot: s, Provenance: provenance, reader: r, state: now}, nil
}

// prove turns the stored state into provenance. It need not look at the rows: readers
// read usable_interviews, whose rows are the members by a generated column that no
// writer can set. That column and the count depend on triggers and a foreign key, and
// the snapshot says whether those are enabled.
func prove(s *postgres.Snapshot) (Provenance, error) {
	m := s.Measurement
	switch {
	case m == nil && s.OnStandby:
		return Provenance{}, apierror.Unavailable(errors.New("the key's client has not reached the standby yet"))
	case m == nil:
		return Provenance{}, apierror.Internal(errors.New("the key's client does not exist"))
	case Mode(m.MeasurementMode) == Legacy:
		return Provenance{Mode: Legacy, AsOf: s.AsOf}, nil
	case m.MeasurementContractVersion == nil || *m.MeasurementContractVersion != ContractVersion:
		return Provenance{}, unproven("the client's measurement contract version is unknown to this server")
	case m.StateMembers == nil:
		return Provenance{}, unproven("the client's measurement state is missing")
	case m.BrokenAt != nil:
		return Provenance{}, unproven("the client's measurement is marked broken")
	case !m.TriggersEnabled:
		return Provenance{}, unproven("what keeps the count of interviews is switched off")
	}
	total := *m.StateMembers + m.PendingMembers
	if total < 0 {
		return Provenance{}, unproven("the client's measurement state is negative")
	}
	return Provenance{Mode: Canonical, AsOf: s.AsOf, Total: total}, nil
}

// ProveFirstPage compares the first page of a list with the other figures of its
// response: a page that is the whole list has as many rows as the basis has ids and,
// without filters, as the total counts.
func (r *Snapshot) ProveFirstPage(scope basis.Scope, rows int, more bool) error {
	listed := int64(-1)
	switch {
	case r.Provenance.Mode != Canonical:
	case r.Provenance.Basis != nil:
		listed = int64(r.Provenance.Basis.SourceCount)
	case scope.Whole():
		listed = r.Provenance.Total
	}
	if listed >= 0 && (int64(rows) > listed || more == (int64(rows) == listed)) {
		return unproven("a first page of %d rows, more to come: %v, contradicts a list of %d", rows, more, listed)
	}
	return nil
}

func unproven(format string, args ...any) error {
	return apierror.MeasurementUnavailable(fmt.Errorf(format, args...))
}
