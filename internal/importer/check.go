package importer

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// find is the lines that a query finds: the number of each, 0 of a record that the input
// lacks, its kind, client and id, the field and what is wrong with it.
func (w *writer) find(ctx context.Context, query string, args ...any) (LineErrors, []int64, error) {
	var bad LineErrors
	var lines []int64
	var line int64
	var e LineError
	rows, _ := w.tx.Query(ctx, query+fmt.Sprintf(" ORDER BY line LIMIT %d", maxSetAside+1), args...) // ForEachRow returns its error
	_, err := pgx.ForEachRow(rows, []any{&line, &e.Kind, &e.ClientID, &e.ID, &e.Field, &e.Reason}, func() error {
		found := e
		found.location = w.decoder.lines.locate(line)
		found.Field = e.Kind + "." + e.Field
		bad, lines = append(bad, &found), append(lines, line)
		return nil
	})
	return bad, lines, err
}

// refuse makes a step that fails with the lines that a query finds.
func (w *writer) refuse(query string, args ...any) func(context.Context) error {
	return func(ctx context.Context) error {
		bad, _, err := w.find(ctx, query, args...)
		if err == nil && len(bad) > 0 {
			return bad
		}
		return err
	}
}

// setAside makes a step that sets the lines aside that a query finds, or fails with them if
// they are too many.
func (w *writer) setAside(query string) func(context.Context) error {
	return func(ctx context.Context) error {
		bad, lines, err := w.find(ctx, query)
		if err != nil || len(bad) == 0 {
			return err
		}
		d := w.decoder
		if d.addBad(bad...); !d.mayGoOn(true) {
			return d.bad
		}
		return w.queries.SetAside(ctx, lines)
	}
}

// idField is the field of a key's id.
const idField = "CASE k.kind WHEN 'measurement_snapshot' THEN 'snapshot_id' ELSE 'id' END"

// checkReferences refuses references to records that the client will not have.
func (w *writer) checkReferences(ctx context.Context) error {
	return eachReference(func(k *kind, c column) error {
		return w.setAside(fmt.Sprintf(`SELECT k.line, k.kind, k.client_id::text, k.id::text, '%[1]s',
				CASE '%[3]s' WHEN 'client' THEN format('there is no client %%s', k.%[2]s)
					ELSE format('client %%s has no %[3]s %%s', k.client_id, k.%[2]s) END
			FROM import_keys AS k
			LEFT JOIN import_keys AS n ON n.kind = '%[3]s' AND n.client_id = k.client_id AND n.id = k.%[2]s
			LEFT JOIN import_stored AS s ON s.kind = '%[3]s' AND s.client_id = k.client_id AND s.id = k.%[2]s
			WHERE k.kind = '%[4]s'
				AND NOT k.deletes
				AND k.%[2]s IS NOT NULL
				AND coalesce(n.deletes, s.id IS NULL)`, c.field, c.name, c.references.name, k.name))(ctx)
	})
}

// checkDeletes refuses to delete what other records still refer to, and clients that have
// keys in force.
func (w *writer) checkDeletes(ctx context.Context) error {
	const stillReferredTo = `SELECT coalesce(k.line, 0) AS line, k.kind, k.client_id::text, k.id::text, ` + idField + `,
			format('%%s cannot be deleted: %s still refers to it', k.id, min(%s::text))
		FROM import_keys AS k
		JOIN %s
		WHERE k.kind = '%s'
			AND k.deletes
		GROUP BY k.line, k.kind, k.client_id, k.id`
	err := eachReference(func(k *kind, c column) error {
		return w.refuse(fmt.Sprintf(stillReferredTo, k.name+" %s", "t.id",
			fmt.Sprintf("%s AS t ON t.client_id = k.client_id AND t.%s = k.id", k.table, c.name), c.references.name))(ctx)
	})
	if err != nil {
		return err
	}
	return w.refuse(fmt.Sprintf(stillReferredTo, "the key %s, which is not revoked,", "a.prefix",
		"api_keys AS a ON a.client_id = k.id AND coalesce(a.revoked_at > now(), true)", clientKind.name))(ctx)
}

// eachReference calls do for each column that refers to another record.
func eachReference(do func(*kind, column) error) error {
	for _, k := range kinds {
		for _, c := range k.columns {
			if c.references == nil {
				continue
			}
			if err := do(k, c); err != nil {
				return err
			}
		}
	}
	return nil
}
