package measurement

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Ledger opens the snapshots that responses are read in.
type Ledger struct {
	pool *postgres.Pool
	// maxBasis bounds the interviews a basis may name: a response's size stays bounded.
	maxBasis int
	bases    *basisCache
}

// NewLedger reads through the pool. maxBasis is the most ids that a basis holds.
func NewLedger(pool *postgres.Pool, maxBasis int) *Ledger {
	return &Ledger{pool: pool, maxBasis: maxBasis, bases: newBasisCache(basisCacheBytes)}
}

// Reading is one response's snapshot together with what vouches for it.
type Reading struct {
	*postgres.Snapshot
	Statement Statement

	caller   access.Caller
	maxBasis int
	bases    *basisCache
	version  version
}

// version names a membership: equal for equal memberships, with every member's
// id, created_at, status and campaign.
type version struct {
	members     int64
	fingerprint string
}

// Read runs fn in one read-only snapshot of the caller's client. For a canonical
// client the measurement is proven before fn runs; a measurement that cannot be
// proven is a fault, never a guess.
func (l *Ledger) Read(ctx context.Context, caller access.Caller, fn func(context.Context, *Reading) error) error {
	return l.pool.Read(ctx, caller.ClientID, func(ctx context.Context, s *postgres.Snapshot) error {
		reading, err := l.reading(caller, s)
		if err != nil {
			return err
		}
		return fn(ctx, reading)
	})
}

// RowsReader reads the rows of a snapshot's first statement. They come to it
// after the measurement was proven.
type RowsReader func(ctx context.Context, in *Reading, rows pgx.Rows) error

// ReadFirst is Read for a snapshot whose first statement goes along with its
// beginning. fn reads the rows to their end before it asks anything else.
func (l *Ledger) ReadFirst(ctx context.Context, caller access.Caller, first postgres.Statement, fn RowsReader) error {
	return l.pool.ReadFirst(ctx, caller.ClientID, first, l.proven(caller, fn))
}

// ReadOnce is ReadFirst for a snapshot of one statement; fn can ask nothing else,
// and may run on another goroutine.
func (l *Ledger) ReadOnce(ctx context.Context, caller access.Caller, only postgres.Statement, fn RowsReader) error {
	return l.pool.ReadOnce(ctx, caller.ClientID, only, l.proven(caller, fn))
}

func (l *Ledger) proven(caller access.Caller, fn RowsReader) postgres.RowsReader {
	return func(ctx context.Context, s *postgres.Snapshot, rows pgx.Rows) error {
		reading, err := l.reading(caller, s)
		if err != nil {
			return err
		}
		return fn(ctx, reading, rows)
	}
}

func (l *Ledger) reading(caller access.Caller, s *postgres.Snapshot) (*Reading, error) {
	statement, err := prove(s)
	if err != nil {
		return nil, err
	}
	return &Reading{
		Snapshot: s, Statement: statement, caller: caller, maxBasis: l.maxBasis, bases: l.bases,
		version: version{members: statement.Total, fingerprint: s.Measurement.Fingerprint},
	}, nil
}

// prove turns the stored state into what a response may say. That every row
// returned is a member needs no look at the rows: readers read through
// usable_interviews, which is the members by a generated column that no writer
// can set. What that column and the count rest on beside the row itself are
// triggers and a foreign key, and whether those stand is asked in the snapshot.
func prove(s *postgres.Snapshot) (Statement, error) {
	m := s.Measurement
	if m == nil && s.Replica {
		return Statement{}, fault.OutOfReach(errors.New("the key's client has not reached the replica yet"))
	}
	if m == nil {
		return Statement{}, fault.Unexpected(errors.New("the key's client does not exist"))
	}
	if Mode(m.MeasurementMode) == Legacy {
		return Statement{Mode: Legacy, AsOf: s.AsOf}, nil
	}
	switch {
	case m.MeasurementContractVersion == nil || *m.MeasurementContractVersion != ContractVersion:
		return Statement{}, unproven("the client's measurement contract version is unknown to this server")
	case m.FoldedMembers == nil:
		return Statement{}, unproven("the client's measurement state is missing")
	case m.BrokenAt != nil:
		return Statement{}, unproven("the client's measurement is marked broken")
	case !m.Guarded:
		return Statement{}, unproven("what keeps the count of interviews is switched off")
	}
	total := *m.FoldedMembers + m.ChangedMembers
	if total < 0 {
		return Statement{}, unproven("the client's measurement state is negative")
	}
	return Statement{Mode: Canonical, AsOf: s.AsOf, Total: total}, nil
}

// ProveFirstPage holds the first page of a list against the other figures of
// its response: a page that is the whole list has as many rows as the basis has
// ids and, without filters, as the total counts.
func (r *Reading) ProveFirstPage(scope Scope, rows int, more bool) error {
	listed := int64(-1)
	switch {
	case r.Statement.Mode != Canonical:
	case r.Statement.Basis != nil:
		listed = int64(r.Statement.Basis.SourceCount)
	case scope.whole():
		listed = r.Statement.Total
	}
	if listed >= 0 && (int64(rows) > listed || more == (int64(rows) == listed)) {
		return unproven("a first page of %d rows, more to come: %v, contradicts a list of %d", rows, more, listed)
	}
	return nil
}

func unproven(format string, args ...any) error { return fault.Unproven(fmt.Errorf(format, args...)) }
