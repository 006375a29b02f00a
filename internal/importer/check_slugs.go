package importer

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The SQL stands in Go because it is made per table.

// checkSlugs refuses a slug that another record of the client has. The
// database's constraint would fail at the commit, and not name the line.
func (w *writer) checkSlugs(ctx context.Context, checks *deferredChecks) error {
	var first *LineError
	for _, k := range kinds {
		clash, err := w.slugClash(ctx, k, checks.written)
		if err != nil {
			return err
		}
		if clash != nil && (first == nil || clash.Line < first.Line) {
			first = clash
		}
	}
	if first != nil {
		return first
	}
	return nil
}

// slugClash finds the first line whose slug another record already had.
func (w *writer) slugClash(ctx context.Context, k *kind, written map[recordKey]int64) (*LineError, error) {
	targets := ofKind(k, written, byLine)
	if len(targets) == 0 {
		return nil, nil
	}
	client := "client_id"
	among := "o.client_id = w.client_id AND"
	if k == clientKind {
		client, among = "id", ""
	}
	clients, ids := keyArrays(targets)
	rows, err := w.tx.Query(ctx, fmt.Sprintf(`SELECT r.ord, o.client_id, o.id, w.slug
		FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS r (client_id, id, ord)
		JOIN %[1]s AS w ON w.%[2]s = r.client_id AND w.id = r.id
		JOIN LATERAL (
			SELECT o.%[2]s AS client_id, o.id
			FROM %[1]s AS o
			WHERE %[3]s o.slug = w.slug AND o.id <> w.id
			ORDER BY o.id
			LIMIT 1
		) AS o ON true
		ORDER BY r.ord`, k.table, client, among), clients, ids)
	if err != nil {
		return nil, databaseError(ctx, "looking up slugs of "+k.table, err)
	}
	var first *LineError
	var at int
	var slug string
	other := recordKey{kind: k}
	_, err = pgx.ForEachRow(rows, []any{&at, &other.client, &other.id, &slug}, func() error {
		later, earlier := targets[at-1], other
		if written[earlier] > written[later] {
			later, earlier = earlier, later
		}
		if line := written[later]; first == nil || line < first.Line {
			first = &LineError{Line: line, Field: k.name + ".slug",
				Reason: fmt.Sprintf("%q is the slug of %s %s already", slug, k.name, earlier.id)}
		}
		return nil
	})
	return first, databaseError(ctx, "looking up slugs of "+k.table, err)
}
