package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

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
		rows, _ := w.tx.Query(ctx, fmt.Sprintf(`SELECT t.%[2]s, t.id
			FROM %[1]s AS t
			WHERE (t.%[2]s, t.id) IN (SELECT unnest($1::uuid[]), unnest($2::uuid[]))`, k.table, k.columns[0].name), clients, ids) // ForEachRow returns its error
		t := recordKey{kind: k}
		if _, err := pgx.ForEachRow(rows, []any{&t.client, &t.id}, func() error { found[t] = true; return nil }); err != nil {
			return nil, databaseError(ctx, "looking up "+k.table, err)
		}
	}
	return slices.DeleteFunc(targets, func(t recordKey) bool { return found[t] }), nil
}
