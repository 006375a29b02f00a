package measurement

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
)

// Maintenance audits, rebuilds and switches measurement as the owner.
type Maintenance struct {
	conn *pgx.Conn
}

// NewMaintenance works on the owner's connection.
func NewMaintenance(conn *pgx.Conn) *Maintenance { return &Maintenance{conn: conn} }

// Client is a client as measurement sees it.
type Client = db.ListMeasuredClientsRow

// Clients lists the canonical clients, those of either mode if everyMode is set, or the
// one named by id or slug, whatever its mode.
func (m *Maintenance) Clients(ctx context.Context, named string, everyMode bool) ([]Client, error) {
	rows, err := db.New(m.conn).ListMeasuredClients(ctx, db.ListMeasuredClientsParams{Named: named, EveryMode: everyMode})
	switch {
	case err != nil:
		return nil, fmt.Errorf("looking up clients: %w", err)
	case named == "":
		return rows, nil
	case len(rows) == 0:
		return nil, fmt.Errorf("%q: no client has this id or slug", named)
	}
	return rows[:1], nil // an id wins over a slug that looks like it
}

// Audit is the result of one audit of a client. Members is the state's count, nil
// without a state; FoundMembers is that of the interviews. Misjudged counts interviews
// whose stored `usable` differs from what their columns say. Fault says what is wrong, nil
// if state and interviews agree. BrokenAt and BrokenReason are the client's mark after
// the audit. OutdatedSearchDocuments counts those that differ from their interviews.
type Audit struct {
	Client
	db.AuditMeasurementRow
	OutdatedSearchDocuments int64 `json:"outdated_search_documents"`
}

// Consistent reports whether state and interviews agree and the client is not marked.
func (a Audit) Consistent() bool {
	return a.Fault == nil && a.BrokenAt == nil && a.OutdatedSearchDocuments == 0
}

// Audit compares a client's state with its interviews in one snapshot, and marks a
// canonical client that differs: its requests are refused from then on. The search
// documents are compared in another snapshot, and mark no client.
func (m *Maintenance) Audit(ctx context.Context, c Client) (Audit, error) {
	audit := Audit{Client: c}
	err := m.inReadCommitted(ctx, func(queries *db.Queries) (err error) {
		if audit.AuditMeasurementRow, err = queries.AuditMeasurement(ctx, c.ClientID); err != nil {
			return err
		}
		audit.OutdatedSearchDocuments, err = queries.CountOutdatedSearchDocuments(ctx, c.ClientID)
		return err
	})
	if err != nil {
		return audit, fmt.Errorf("auditing %s: %w", c.Slug, err)
	}
	return audit, nil
}

// RebuildResult is what a rebuild corrected. Rejudged counts interviews whose copy of
// their campaign's liveness was wrong. Corrected was added to the count; Changed is also
// set where the members were others at the same count. Members is the count now.
type RebuildResult struct {
	Client
	db.RebuildMeasurementRow
	CorrectedSearchDocuments int64
}

// Rebuild corrects a client's state, beside any number of writers, and clears its mark.
// Changes of the client's interviews wait only while outdated search documents are
// corrected. Its triggers must be on.
func (m *Maintenance) Rebuild(ctx context.Context, c Client) (RebuildResult, error) {
	result := RebuildResult{Client: c}
	err := m.inReadCommitted(ctx, func(queries *db.Queries) (err error) {
		result.RebuildMeasurementRow, err = queries.RebuildMeasurement(ctx, c.ClientID)
		return err
	})
	if err != nil {
		return result, fmt.Errorf("rebuilding %s: %w", c.Slug, withHint(err))
	}
	outdated, err := db.New(m.conn).CountOutdatedSearchDocuments(ctx, c.ClientID)
	if err != nil {
		return result, fmt.Errorf("comparing the search documents of %s: %w", c.Slug, err)
	}
	if outdated > 0 {
		result.CorrectedSearchDocuments, err = m.rebuildSearch(ctx, c)
	}
	return result, err
}

func (m *Maintenance) rebuildSearch(ctx context.Context, c Client) (corrected int64, err error) {
	err = m.inReadCommitted(ctx, func(queries *db.Queries) (err error) {
		corrected, err = queries.RebuildSearchDocuments(ctx, c.ClientID)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("rebuilding the search documents of %s: %w", c.Slug, withHint(err))
	}
	return corrected, nil
}

// inReadCommitted calls one of the database's functions at the isolation level
// that they require, whatever the database's default is.
func (m *Maintenance) inReadCommitted(ctx context.Context, call func(*db.Queries) error) error {
	return pgx.BeginTxFunc(ctx, m.conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		return call(db.New(tx))
	})
}

// withHint adds the hint of a refusal by the database's functions: what to do.
func withHint(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Hint != "" {
		return fmt.Errorf("%s. %s", refused.Message, refused.Hint)
	}
	return err
}

// CutOver proves a client's measurement and switches it to canonical, in one
// transaction, and returns its members.
func (m *Maintenance) CutOver(ctx context.Context, c Client) (int64, error) {
	var proof db.CutOverMeasurementRow
	err := m.inReadCommitted(ctx, func(queries *db.Queries) (err error) {
		proof, err = queries.CutOverMeasurement(ctx, db.CutOverMeasurementParams{ClientID: c.ClientID, ContractVersion: ContractVersion})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("cutting %s over: %w", c.Slug, err)
	}
	if proof.Fault != nil {
		return 0, fmt.Errorf("%s stays %s: %s: run 'clientintel measurement rebuild --client %s' first", c.Slug, c.MeasurementMode, *proof.Fault, c.Slug)
	}
	return proof.Members, nil
}

// ReturnToLegacy switches a client back.
func (m *Maintenance) ReturnToLegacy(ctx context.Context, c Client) error {
	if err := db.New(m.conn).ReturnToLegacy(ctx, c.ClientID); err != nil {
		return fmt.Errorf("returning %s to legacy: %w", c.Slug, err)
	}
	return nil
}
