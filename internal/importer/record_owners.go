package importer

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
)

// registerIDs claims the ids of a staged batch for their clients, and reports whether
// all of them are new, so that no such record can exist. A client is its own owner.
func (w *writer) registerIDs(ctx context.Context, b *batch) (bool, error) {
	if b.kind == clientKind {
		return false, nil
	}
	claimed, err := w.tx.Exec(ctx, b.kind.claimQuery())
	if err != nil {
		return false, databaseError(ctx, "registering ids of "+b.kind.table, err)
	}
	if claimed.RowsAffected() == int64(len(b.rows)) {
		return true, nil
	}
	return false, w.checkOwners(ctx, b.kind, b.rows)
}

// checkOwners refuses ids that belong to other clients. It is a query of
// its own, so that it sees what another import has committed meanwhile.
func (w *writer) checkOwners(ctx context.Context, k *kind, rows []row) error {
	clients, ids := identities(rows)
	found, err := w.queries.FindForeignRecordID(ctx, db.FindForeignRecordIDParams{Kind: k.name, ClientIds: clients, Ids: ids})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return databaseError(ctx, "looking up the owners of ids of "+k.table, err)
	}
	r := rows[found.Position-1]
	return &LineError{Line: r.line, Field: k.name + "." + k.idField, Reason: ownedReason(r.id, found.ClientID)}
}
