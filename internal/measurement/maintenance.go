package measurement

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Maintenance audits, rebuilds and switches measurement, as the owner, on a
// connection of its own.
type Maintenance struct {
	conn *pgx.Conn
}

// NewMaintenance works on the owner's connection.
func NewMaintenance(conn *pgx.Conn) *Maintenance { return &Maintenance{conn: conn} }

// Client is a client as measurement sees it.
type Client = db.ListMeasuredClientsRow

// Clients lists the canonical clients, or the one named by id or slug, whatever
// its mode.
func (m *Maintenance) Clients(ctx context.Context, named string) ([]Client, error) {
	rows, err := m.list(ctx, db.ListMeasuredClientsParams{Named: named})
	if err != nil {
		return nil, err
	}
	if named != "" {
		if len(rows) == 0 {
			return nil, fmt.Errorf("%q: no client has this id or slug", named)
		}
		rows = rows[:1] // an id wins over a slug that looks like it
	}
	return rows, nil
}

// EveryClient lists the clients of either mode.
func (m *Maintenance) EveryClient(ctx context.Context) ([]Client, error) {
	return m.list(ctx, db.ListMeasuredClientsParams{EveryMode: true})
}

func (m *Maintenance) list(ctx context.Context, params db.ListMeasuredClientsParams) ([]Client, error) {
	rows, err := db.New(m.conn).ListMeasuredClients(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("looking up clients: %w", err)
	}
	return rows, nil
}

// Audit is what one audit of a client found. Members is what the state says, nil
// without a state; FoundMembers counts the facts. Misjudged counts the interviews
// whose stored judgement is not what their facts say. Fault says what is wrong, nil
// when state and facts agree. BrokenAt and BrokenReason are the client's mark, now.
// OutdatedSearchDocuments are those that are not what their interviews say.
type Audit struct {
	Client
	db.AuditMeasurementRow
	OutdatedSearchDocuments int64 `json:"outdated_search_documents"`
}

// Consistent tells whether all agrees and no earlier mark stands.
func (a Audit) Consistent() bool {
	return a.Fault == nil && a.BrokenAt == nil && a.OutdatedSearchDocuments == 0
}

// Audit holds a client's state against the raw facts, in one snapshot, and
// marks a canonical client that differs: its requests are refused from then on. What
// searches read is compared in another snapshot, and marks no client.
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

// Repair makes anew what is missing of the schema or was changed, and returns its
// names. What searches read is rebuilt for every client then, as a trigger that was
// off missed what was written; counts that may have missed something are marked.
func (m *Maintenance) Repair(ctx context.Context) ([]string, error) {
	repaired, err := postgres.Repair(ctx, m.conn)
	if err != nil {
		return nil, fmt.Errorf("repairing the schema: %w", withHint(err))
	}
	names := make([]string, len(repaired))
	for i, o := range repaired {
		names[i] = o.String()
	}
	if !slices.ContainsFunc(repaired, func(o postgres.Object) bool { return o.Kind == "trigger" || o.Kind == "function" }) {
		return names, nil
	}
	clients, err := m.EveryClient(ctx)
	if err != nil {
		return names, err
	}
	for _, c := range clients {
		if _, err := m.rebuildSearch(ctx, c); err != nil {
			return names, err
		}
	}
	return names, nil
}

// RebuildResult is what a rebuild put right. Rejudged counts interviews whose copy of
// their campaign's liveness was wrong. Corrected was added to the count; Changed also
// tells of other members at the same count. Members is the count now.
type RebuildResult struct {
	Client
	db.RebuildMeasurementRow
	CorrectedSearchDocuments int64
}

// Rebuild makes a client's state right again, beside any number of writers, and
// clears its mark. Only where search documents are wrong do changes of the client's
// interviews wait until these are corrected. The schema must be right: see Repair.
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
		return result, fmt.Errorf("comparing what searches read of %s: %w", c.Slug, err)
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
		return 0, fmt.Errorf("rebuilding what searches read of %s: %w", c.Slug, withHint(err))
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

// withHint makes a refusal of the database's functions say what to do about it.
func withHint(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Hint != "" {
		return fmt.Errorf("%s. %s", refused.Message, refused.Hint)
	}
	return err
}

// FaultError says why a client was not cut over.
type FaultError struct{ Fault string }

func (e *FaultError) Error() string { return e.Fault }

// CutOver proves a client's measurement and switches it to canonical, in one
// transaction, and returns its members. A *FaultError says that it was not proven.
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
		return 0, &FaultError{Fault: *proof.Fault}
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
