package importer

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
)

// checkSlugs refuses the first line whose slug another record of the client had. The
// database's constraint would fail at the commit, and not name the line.
func (w *writer) checkSlugs(ctx context.Context) error {
	written := inOrder(w.deferred.written)
	// given are the slugs of the records in the input, taken those of records before.
	given, taken := map[recordKey]slugKey{}, map[slugKey]recordKey{}
	for _, k := range kinds {
		clients, ids := ofKind(k, written)
		if len(ids) == 0 {
			continue
		}
		if err := w.lockClientSlugs(ctx, k); err != nil {
			return err
		}
		unique := "client_id, slug"
		if k == clientKind {
			unique = "slug"
		}
		// Each slug once: of lines with the same one, each would otherwise be joined to each.
		rows, _ := w.tx.Query(ctx, fmt.Sprintf(`WITH written AS MATERIALIZED (
				SELECT DISTINCT %[3]s
				FROM %[1]s AS t
				WHERE (t.%[2]s, t.id) IN (SELECT unnest($1::uuid[]), unnest($2::uuid[]))
			)
			SELECT o.%[2]s, o.id, o.slug
			FROM %[1]s AS o
			JOIN written USING (%[3]s)`, k.table, k.columns[0].name, unique), clients, ids) // ForEachRow returns its error
		t := recordKey{kind: k}
		var slug string
		if _, err := pgx.ForEachRow(rows, []any{&t.client, &t.id, &slug}, func() error {
			key := slugKey{k, t.client, slug}
			if k == clientKind {
				key.client = uuid.Nil
			}
			if _, inInput := w.deferred.written[t]; inInput {
				given[t] = key
			} else {
				taken[key] = t
			}
			return nil
		}); err != nil {
			return databaseError(ctx, "looking up slugs of "+k.table, err)
		}
	}
	for _, t := range written {
		key, stored := given[t]
		if !stored { // deleted further down
			continue
		}
		if earlier, is := taken[key]; is {
			return w.deferred.written[t].refuse(fmt.Sprintf("%q is the slug of %s %s already", key.slug, t.kind.name, earlier.id))
		}
		taken[key] = t
	}
	return nil
}

// lockClientSlugs lets one import at a time add or change clients where no index
// proves their slugs unique: where tables are distributed.
func (w *writer) lockClientSlugs(ctx context.Context, k *kind) error {
	if k != clientKind || w.count(k).Added+w.count(k).Changed == 0 {
		return nil
	}
	distributed, err := postgres.IsDistributed(ctx, w.tx)
	if err == nil && distributed {
		_, err = w.tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('clientintel client slugs', 0))")
	}
	return databaseError(ctx, "waiting for other imports of clients", err)
}

// slugKey is a slug and where it is unique, no client's for a client's own.
type slugKey struct {
	kind   *kind
	client uuid.UUID
	slug   string
}
