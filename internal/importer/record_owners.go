package importer

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

// maxClaimNewBatches is how many batches are registered as new ids: each takes a
// subtransaction, and more than 64 of them overflow the snapshots of all readers.
const maxClaimNewBatches = 60

// registerIDs claims the ids of a batch for their clients, and reports whether all of
// them are new, so that no such record can exist. A client is its own owner.
func (w *writer) registerIDs(ctx context.Context, b *batch) (bool, error) {
	if b.kind == clientKind {
		return false, nil
	}
	// As array parameters they would keep the database waiting 4 ms a batch.
	if _, err := w.copy(ctx, b.copyOfIdentities(), "import_ids", []string{"client_id", "id"}); err != nil {
		return false, databaseError(ctx, "staging ids of "+b.kind.table, err)
	}
	if w.claimedNew < maxClaimNewBatches && !w.known[b.kind] {
		w.claimedNew++
		isNew, err := w.claimNew(ctx, b.kind)
		if err != nil || isNew {
			return isNew, databaseError(ctx, "registering ids of "+b.kind.table, err)
		}
		w.known[b.kind] = true
	}
	claimed, err := w.tx.Exec(ctx, b.kind.claimQuery()+" ON CONFLICT DO NOTHING")
	if err != nil {
		return false, databaseError(ctx, "registering ids of "+b.kind.table, err)
	}
	if claimed.RowsAffected() == int64(len(b.rows)) {
		return true, nil
	}
	return false, w.checkOwners(ctx, b.kind, b.rows)
}

// claimNew claims a batch's ids unless one of them is known. To register ids
// that may be known takes the database nearly twice as long.
func (w *writer) claimNew(ctx context.Context, k *kind) (bool, error) {
	steps := &pgx.Batch{}
	steps.Queue("SAVEPOINT claim")
	steps.Queue(k.claimQuery())
	steps.Queue("RELEASE SAVEPOINT claim")
	err := w.tx.SendBatch(ctx, steps).Close()
	if postgres.SQLState(err) != "23505" { // unique_violation
		return err == nil, err
	}
	_, err = w.tx.Exec(ctx, "ROLLBACK TO SAVEPOINT claim; RELEASE SAVEPOINT claim", pgx.QueryExecModeSimpleProtocol)
	return false, err
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
	return r.at.refuse(k.name+"."+k.idField, ownedReason(r.id, found.ClientID))
}
