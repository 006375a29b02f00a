package importer

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// finish judges what only the whole file can tell, and has the database prove it.
func (w *writer) finish(ctx context.Context, found *findings) error {
	if err := w.mendLiveness(ctx, found); err != nil {
		return err
	}
	if err := w.checkDeletes(ctx, found); err != nil {
		return err
	}
	if err := w.deleteClients(ctx, found); err != nil {
		return err
	}
	if err := w.checkReferences(ctx, found); err != nil {
		return err
	}
	if err := w.checkSlugs(ctx, found); err != nil {
		return err
	}
	// What the commit would prove, while it can still be interrupted.
	_, err := w.tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE")
	return databaseError(ctx, "proving references", err)
}

// checkDeletes refuses to delete what other records still refer to.
func (w *writer) checkDeletes(ctx context.Context, found *findings) error {
	var first *LineError
	for _, k := range kinds {
		for _, t := range ofKind(k, found.deleted, byLine) {
			line := found.deleted[t]
			if first != nil && first.Line < line {
				break
			}
			by, err := w.referrer(ctx, t)
			if err != nil {
				return err
			}
			if by != "" {
				first = &LineError{Line: line, Field: k.name + "." + k.idField,
					Reason: fmt.Sprintf("%s cannot be deleted: %s still refers to it", t.id, by)}
				break
			}
		}
	}
	if first != nil {
		return first
	}
	return nil
}

// referrer names a record that refers to the target, or is empty.
func (w *writer) referrer(ctx context.Context, t target) (string, error) {
	for _, k := range kinds {
		for _, c := range k.columns {
			if c.refers != t.kind {
				continue
			}
			var id uuid.UUID
			err := w.tx.QueryRow(ctx, fmt.Sprintf("SELECT id FROM %s WHERE client_id = $1 AND %s = $2 LIMIT 1", k.table, c.name),
				t.client, t.id).Scan(&id)
			if err == nil {
				return k.name + " " + id.String(), nil
			}
			if !errors.Is(err, pgx.ErrNoRows) {
				return "", databaseError(ctx, "looking for references from "+k.table, err)
			}
		}
	}
	if t.kind != clientKind {
		return "", nil
	}
	var prefix string
	err := w.tx.QueryRow(ctx, `SELECT k.prefix
		FROM api_keys AS k
		WHERE k.client_id = $1
			AND (k.revoked_at IS NULL OR k.revoked_at > now())
		ORDER BY k.created_at
		LIMIT 1`, t.id).Scan(&prefix)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", nil
	case err != nil:
		return "", databaseError(ctx, "looking for keys", err)
	}
	return "the key " + prefix + ", which is not revoked,", nil
}

// deleteClients deletes the clients that the file deletes, after their last
// record, with their revoked keys and what was counted of them.
func (w *writer) deleteClients(ctx context.Context, found *findings) error {
	for t := range found.revived {
		if t.kind == clientKind {
			w.count(clientKind).Deleted++
		}
	}
	_, ids := targetArrays(ofKind(clientKind, found.deleted, byLine))
	if len(ids) == 0 {
		return nil
	}
	steps := &pgx.Batch{}
	// A key issued since the check stays, and with it the client.
	steps.Queue("DELETE FROM api_keys WHERE client_id = ANY ($1) AND revoked_at <= now()", ids)
	steps.Queue("DELETE FROM clients WHERE id = ANY ($1)", ids).Exec(func(done pgconn.CommandTag) error {
		w.count(clientKind).Deleted += done.RowsAffected()
		w.count(clientKind).Missing += int64(len(ids)) - done.RowsAffected()
		return nil
	})
	// Changes left behind would be added to a client that comes back.
	steps.Queue("DELETE FROM measurement_changes WHERE client_id = ANY ($1)", ids)
	return databaseError(ctx, "deleting clients", w.tx.SendBatch(ctx, steps).Close())
}
