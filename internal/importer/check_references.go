package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// checkDeletes refuses to delete what other records still refer to.
func (w *writer) checkDeletes(ctx context.Context) error {
	t, by, err := w.firstReferredTo(ctx, inOrder(w.deferred.deleted))
	if err != nil || by == "" {
		return err
	}
	return w.deferred.deleted[t].refuse(fmt.Sprintf("%s cannot be deleted: %s still refers to it", t.id, by))
}

// checkReferences refuses references to records that are not the client's.
func (w *writer) checkReferences(ctx context.Context) error {
	missing, err := w.missing(ctx, inOrder(w.deferred.references))
	if err != nil {
		return err
	}
	// The line may have been replaced or its record deleted further down.
	t, by, err := w.firstReferredTo(ctx, missing)
	if err != nil || by == "" {
		return err
	}
	return w.deferred.references[t].refuse(t.missing())
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

func (t recordKey) missing() string {
	if t.kind == clientKind {
		return fmt.Sprintf("there is no client %s", t.id)
	}
	return fmt.Sprintf("client %s has no %s %s", t.client, t.kind.name, t.id)
}

// missing lists the records that do not exist, in the order given.
func (w *writer) missing(ctx context.Context, targets []recordKey) ([]recordKey, error) {
	found := map[recordKey]bool{}
	for _, k := range kinds {
		clients, ids := ofKind(k, targets)
		if len(ids) == 0 {
			continue
		}
		// ForEachRow returns the query's error.
		rows, _ := w.tx.Query(ctx, fmt.Sprintf(`SELECT t.%[2]s, t.id
			FROM %[1]s AS t
			WHERE (t.%[2]s, t.id) IN (SELECT unnest($1::uuid[]), unnest($2::uuid[]))`, k.table, k.columns[0].name), clients, ids)
		t := recordKey{kind: k}
		if _, err := pgx.ForEachRow(rows, []any{&t.client, &t.id}, func() error { found[t] = true; return nil }); err != nil {
			return nil, databaseError(ctx, "looking up "+k.table, err)
		}
	}
	return slices.DeleteFunc(targets, func(t recordKey) bool { return found[t] }), nil
}
