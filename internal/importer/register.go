package importer

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// register claims the ids of a batch for their clients, and tells whether all of
// them are new, so that no record of theirs can exist. A client is its own owner.
func (w *writer) register(ctx context.Context, b *batch) (bool, error) {
	if b.kind == clientKind {
		return false, nil
	}
	clients, ids := identities(b.rows)
	// In one order: two imports with ids in common then wait for each other
	// rather than deadlock, as far as their batches go.
	done, err := w.tx.Exec(ctx, `INSERT INTO record_owners (kind, id, client_id)
		SELECT $1, r.id, r.client_id
		FROM unnest($2::uuid[], $3::uuid[]) AS r (client_id, id)
		ORDER BY r.id
		ON CONFLICT DO NOTHING`, b.kind.name, clients, ids)
	if err != nil {
		return false, databaseError(ctx, "registering ids of "+b.kind.table, err)
	}
	if done.RowsAffected() == int64(len(b.rows)) {
		return true, nil
	}
	return false, w.checkOwners(ctx, b.kind, b.rows)
}

// checkOwners refuses ids that belong to other clients. It is a statement of
// its own, so that it sees what another import has committed meanwhile.
func (w *writer) checkOwners(ctx context.Context, k *kind, rows []row) error {
	clients, ids := identities(rows)
	var at int
	var owner uuid.UUID
	err := w.tx.QueryRow(ctx, `SELECT r.ord, o.client_id
		FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS r (client_id, id, ord)
		JOIN record_owners AS o ON o.kind = $1 AND o.id = r.id
		WHERE o.client_id <> r.client_id
		ORDER BY r.ord
		LIMIT 1`, k.name, clients, ids).Scan(&at, &owner)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return databaseError(ctx, "looking up the owners of ids of "+k.table, err)
	}
	r := rows[at-1]
	return &LineError{Line: r.line, Field: k.name + "." + k.idField, Reason: ownedReason(r.id, owner)}
}
