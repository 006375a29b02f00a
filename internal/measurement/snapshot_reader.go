package measurement

import (
	"context"
	"errors"
	"fmt"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/postgres"
)

// SnapshotReader opens the snapshots that responses are read in.
type SnapshotReader struct {
	pool     *postgres.Pool
	triggers *Triggers
	// maxBasis bounds the interviews a basis may name: a response's size stays bounded.
	maxBasis int
}

// NewSnapshotReader reads through the pool. maxBasis is the most ids that a basis holds.
func NewSnapshotReader(pool *postgres.Pool, triggers *Triggers, maxBasis int) *SnapshotReader {
	return &SnapshotReader{pool: pool, triggers: triggers, maxBasis: maxBasis}
}

// Snapshot is the snapshot that one response is read in. Provenance is known once its
// first query has been sent.
type Snapshot struct {
	*postgres.Snapshot
	Provenance Provenance

	maxBasis int
}

// Reading is how many queries a snapshot is read with.
type Reading bool

// Once is a snapshot of one query, in one round trip.
const (
	Once Reading = true
	Many Reading = false
)

// Read runs fn in one read-only snapshot of the caller's client. For a canonical client
// the measurement is proven before any row is read; a measurement that cannot be proven
// is the error of fn's first query, never a guess.
func (r *SnapshotReader) Read(ctx context.Context, caller auth.Caller, how Reading, fn func(context.Context, *Snapshot) error) error {
	in := &Snapshot{maxBasis: r.maxBasis}
	reading := postgres.Reading{ClientID: caller.ClientID, Once: bool(how), Began: func(s *postgres.Snapshot) (err error) {
		in.Provenance, err = r.prove(s)
		return err
	}}
	return r.pool.Read(ctx, reading, func(ctx context.Context, s *postgres.Snapshot) error {
		in.Snapshot = s
		return fn(ctx, in)
	})
}

// prove turns the stored state into provenance. It need not look at the rows: readers
// read usable_interviews, whose rows are the members by a generated column that no
// writer can set. That column and the count depend on triggers and a foreign key.
func (r *SnapshotReader) prove(s *postgres.Snapshot) (Provenance, error) {
	m := s.Measurement
	switch {
	case m.Mode == nil && s.OnStandby:
		return Provenance{}, apierror.Unavailable(errors.New("the key's client has not reached the standby yet"))
	case m.Mode == nil:
		return Provenance{}, apierror.Internal(errors.New("the key's client does not exist"))
	case Mode(*m.Mode) == Legacy:
		return Provenance{Mode: Legacy, AsOf: s.AsOf}, nil
	case m.ContractVersion == nil || *m.ContractVersion != ContractVersion:
		return Provenance{}, unproven("the client's measurement contract version is unknown to this server")
	case m.Members == nil:
		return Provenance{}, unproven("the client's measurement state is missing")
	case m.BrokenAt != nil:
		return Provenance{}, unproven("the client's measurement is marked broken")
	case r.triggers.Disabled() != "":
		return Provenance{}, unproven("what keeps the count of interviews is switched off: %s", r.triggers.Disabled())
	case *m.Members < 0:
		return Provenance{}, unproven("the client's measurement state is negative")
	}
	return Provenance{Mode: Canonical, AsOf: s.AsOf, Total: *m.Members}, nil
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
