package importer

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// find is the lines that a query finds: the number of each, 0 of a record that the input
// lacks, its kind, client and id, the field and what is wrong with it.
func (w *writer) find(ctx context.Context, checking, query string) (LineErrors, []int64, error) {
	var bad LineErrors
	var lines []int64
	var line int64
	var e LineError
	rows, _ := w.tx.Query(ctx, query+fmt.Sprintf(" ORDER BY line LIMIT %d", maxSetAside+1)) // ForEachRow returns its error
	_, err := pgx.ForEachRow(rows, []any{&line, &e.Kind, &e.ClientID, &e.ID, &e.Field, &e.Reason}, func() error {
		found := e
		found.location = w.decoder.lines.locate(line)
		found.Field = e.Kind + "." + e.Field
		bad, lines = append(bad, &found), append(lines, line)
		return nil
	})
	return bad, lines, databaseError(checking, err)
}

// refuse fails with the lines that a query finds.
func (w *writer) refuse(ctx context.Context, checking, query string) error {
	bad, _, err := w.find(ctx, checking, query)
	if err == nil && len(bad) > 0 {
		return bad
	}
	return err
}

// setAside sets the lines aside that a query finds, or fails with them if they are too many:
// their records are then deleted.
func (w *writer) setAside(ctx context.Context, checking, query string) error {
	bad, lines, err := w.find(ctx, checking, query)
	if err != nil || len(bad) == 0 {
		return err
	}
	d := w.decoder
	if d.addBad(bad...); !d.mayGoOn(true) {
		return d.bad
	}
	return w.exec(ctx, "setting lines aside", "UPDATE import_keys SET deletes = true, line = NULL WHERE line = ANY ($1::bigint[])", lines)
}

// idField is the field of a key's id.
const idField = "CASE k.kind WHEN 'measurement_snapshot' THEN 'snapshot_id' ELSE 'id' END"

// checkOwners registers the ids of the input, and refuses those that belong to other
// clients. In the order of ids, so that two imports that share some wait for each other
// and do not deadlock. The check is a query of its own, so that it sees what another
// import has committed meanwhile.
func (w *writer) checkOwners(ctx context.Context) error {
	if err := w.exec(ctx, "registering ids", `INSERT INTO record_owners (kind, id, client_id)
		SELECT DISTINCT ON (k.id, k.kind) k.kind, k.id, k.client_id
		FROM import_keys AS k
		WHERE k.kind NOT IN ('client', 'api_key', 'request_log')
			AND NOT k.deletes
		ORDER BY k.id, k.kind, k.line
		ON CONFLICT DO NOTHING`); err != nil {
		return err
	}
	return w.setAside(ctx, "looking up the owners of ids", `SELECT k.line, k.kind, k.client_id::text, k.id::text, `+idField+`,
			format('%s belongs to client %s, also after it was deleted there, until clients release frees it', k.id, o.client_id)
		FROM import_keys AS k
		JOIN record_owners AS o ON o.kind = k.kind AND o.id = k.id
		WHERE o.client_id <> k.client_id`)
}

// checkSlugs refuses the lines whose slug another record has. The database's constraint
// would fail at the commit, and not name the line.
func (w *writer) checkSlugs(ctx context.Context) error {
	// One import at a time where no index proves clients' slugs unique: where tables are
	// distributed.
	if err := w.exec(ctx, "waiting for other imports of clients", `SELECT pg_advisory_xact_lock(hashtextextended('clientintel client slugs', 0))
		WHERE to_regclass('public.clients_of_slug') IS NOT NULL`); err != nil {
		return err
	}
	return w.setAside(ctx, "looking up slugs", `SELECT s.line, s.kind, s.client_id::text, s.id::text, 'slug',
			format('"%s" is the slug of %s %s already', s.slug, s.kind, s.holder)
		FROM (
			SELECT u.*, first_value(u.id) OVER w AS holder, row_number() OVER w AS n
			FROM (
				SELECT k.line, k.kind, k.client_id, k.id, k.slug, CASE WHEN k.kind <> 'client' THEN k.client_id END AS within
				FROM import_keys AS k
				WHERE k.slug IS NOT NULL
					AND NOT k.deletes
				UNION ALL
				SELECT 0, s.kind, s.client_id, s.id, s.slug, CASE WHEN s.kind <> 'client' THEN s.client_id END
				FROM import_stored AS s
				LEFT JOIN import_keys AS k ON k.kind = s.kind AND k.client_id = s.client_id AND k.id = s.id
				WHERE s.slug IS NOT NULL
					AND k.id IS NULL
			) AS u
			WINDOW w AS (PARTITION BY u.kind, u.within, u.slug ORDER BY u.line)
		) AS s
		WHERE s.n > 1`)
}

// checkReferences refuses references to records that the client will not have.
func (w *writer) checkReferences(ctx context.Context) error {
	return eachReference(func(k *kind, c column) error {
		return w.setAside(ctx, "looking up references", fmt.Sprintf(`SELECT k.line, k.kind, k.client_id::text, k.id::text, '%[1]s',
				CASE '%[3]s' WHEN 'client' THEN format('there is no client %%s', k.%[2]s)
					ELSE format('client %%s has no %[3]s %%s', k.client_id, k.%[2]s) END
			FROM import_keys AS k
			LEFT JOIN import_keys AS n ON n.kind = '%[3]s' AND n.client_id = k.client_id AND n.id = k.%[2]s
			LEFT JOIN import_stored AS s ON s.kind = '%[3]s' AND s.client_id = k.client_id AND s.id = k.%[2]s
			WHERE k.kind = '%[4]s'
				AND NOT k.deletes
				AND k.%[2]s IS NOT NULL
				AND coalesce(n.deletes, s.id IS NULL)`, c.field, c.name, c.references.name, k.name))
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
		return w.refuse(ctx, "looking for references from "+k.table, fmt.Sprintf(stillReferredTo, k.name+" %s", "t.id",
			fmt.Sprintf("%s AS t ON t.client_id = k.client_id AND t.%s = k.id", k.table, c.name), c.references.name))
	})
	if err != nil {
		return err
	}
	return w.refuse(ctx, "looking for keys", fmt.Sprintf(stillReferredTo, "the key %s, which is not revoked,", "a.prefix",
		"api_keys AS a ON a.client_id = k.id AND coalesce(a.revoked_at > now(), true)", clientKind.name))
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
