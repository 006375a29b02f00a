package importer

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// finish makes the checks that need the whole file, then those of the database.
func (w *writer) finish(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		w.correctCampaignLive, w.removeTheRest, w.checkDeletes, w.deleteClients,
		w.checkReferences, w.checkSlugs, w.mergeAPIKeys, w.mergeRequestLog,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	// The checks of the commit, now, while they can still be interrupted.
	_, err := w.tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE")
	return databaseError(ctx, "proving references", err)
}

// checkDeletes refuses to delete what other records still refer to.
func (w *writer) checkDeletes(ctx context.Context) error {
	t, by, err := w.firstReferredTo(ctx, inOrder(w.deferred.deleted))
	if err != nil || by == "" {
		return err
	}
	return w.deferred.deleted[t].refuse(fmt.Sprintf("%s cannot be deleted: %s still refers to it", t.id, by))
}

// firstReferredTo is the first key that a record refers to, and that record's name.
func (w *writer) firstReferredTo(ctx context.Context, keys []recordKey) (recordKey, string, error) {
	for _, t := range keys {
		if by, err := w.referrer(ctx, t); err != nil || by != "" {
			return t, by, err
		}
	}
	return recordKey{}, "", nil
}

// referrer names a record that refers to t, or is empty.
func (w *writer) referrer(ctx context.Context, t recordKey) (string, error) {
	for _, k := range kinds {
		for _, c := range k.columns {
			if c.references != t.kind {
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
	prefix, err := w.queries.FindUnrevokedKey(ctx, &t.id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", nil
	case err != nil:
		return "", databaseError(ctx, "looking for keys", err)
	}
	return "the key " + prefix + ", which is not revoked,", nil
}

// deleteClients deletes the clients that the file deletes, after their last
// record, with their revoked keys and their counters.
func (w *writer) deleteClients(ctx context.Context) error {
	for t := range w.deferred.rewritten {
		if t.kind == clientKind {
			w.count(clientKind).Removed++
		}
	}
	_, ids := ofKind(clientKind, inOrder(w.deferred.deleted))
	if len(ids) == 0 {
		return nil
	}
	if err := w.queries.DeleteRevokedKeys(ctx, ids); err != nil {
		return databaseError(ctx, "deleting keys", err)
	}
	deleted, err := w.queries.DeleteClients(ctx, ids)
	if err != nil {
		return databaseError(ctx, "deleting clients", err)
	}
	w.count(clientKind).Removed += deleted
	w.count(clientKind).Missing += int64(len(ids)) - deleted
	return databaseError(ctx, "deleting clients", w.queries.DeleteMeasurementChanges(ctx, ids))
}
