package importer

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apikey"
)

// writer puts an input into the database, inside the import's transaction: all of it into
// one temporary table, import_lines, and from there, once it is checked as a whole, to
// where it belongs. import_keys has what becomes of each record, a row each.
type writer struct {
	tx      pgx.Tx
	queries *db.Queries
	decoder *decoder
	written map[*kind]*KindSummary
	// clients are those of which the input holds records, or whose records are replaced.
	clients []uuid.UUID
	// replacing is nil when the input only adds.
	replacing *replacing
	// staged is how many lines import_lines holds.
	staged int64
}

// run is the import's way from its first line to its commit.
func (w *writer) run(ctx context.Context, asked *Replacement, started time.Time) error {
	if err := w.beginReplacing(ctx, asked); err != nil {
		return err
	}
	if err := w.stage(ctx); err != nil {
		return err
	}
	w.decoder.report(true)
	for _, step := range []func(context.Context) error{
		w.listKeys, w.lock, w.suppress, w.listStored, w.removeTheRest,
		w.checkOwners, w.checkSlugs, w.checkReferences, w.checkRemovals,
		w.writeRecords, w.checkDeletes, w.deleteClients,
		w.mergeAPIKeys, w.mergeRequestLog,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return w.noteSuccess(ctx, started)
}

func (w *writer) exec(ctx context.Context, doing, query string, args ...any) error {
	_, err := w.tx.Exec(ctx, query, args...)
	return databaseError(doing, err)
}

// stage copies the input into import_lines. Nothing is compressed or moved out of line
// twice.
func (w *writer) stage(ctx context.Context) error {
	defer func() { _ = w.decoder.lines.in.Close() }() // it may be closed already
	columns := make([]string, len(staged))
	for i, name := range staged {
		columns[i] = name + " " + stagedTypes[i]
	}
	if err := w.exec(ctx, "beginning", "CREATE TEMPORARY TABLE import_lines ("+strings.Join(columns, ", ")+") WITH (toast_tuple_target = 8160) ON COMMIT DROP"); err != nil {
		return err
	}
	var err error
	w.staged, err = w.tx.CopyFrom(ctx, pgx.Identifier{"import_lines"}, staged, w.decoder)
	if wrong := w.decoder.err; wrong != nil && ctx.Err() == nil {
		return wrong // the database's error only repeats it
	}
	return databaseError("staging the input", err)
}

// listKeys makes import_keys: of each record the last line, and what is checked of it.
func (w *writer) listKeys(ctx context.Context) error {
	listed, err := w.tx.Exec(ctx, `CREATE TEMPORARY TABLE import_keys ON COMMIT DROP AS
		SELECT DISTINCT ON (l.kind, l.client_id, l.id)
			l.line, l.kind, l.client_id, l.id, l.deletes, l.slug, l.campaign_id, l.lane_id, l.measurement_snapshot_id
		FROM import_lines AS l
		ORDER BY l.kind, l.client_id, l.id, l.line DESC`)
	if err == nil {
		_, err = w.tx.Exec(ctx, `CREATE INDEX ON import_keys (kind, client_id, id);
			CREATE INDEX ON import_lines (line);
			ANALYZE import_keys;
			ANALYZE import_lines (line, kind)`)
	}
	if err != nil || listed.RowsAffected() == w.staged {
		return databaseError("listing the records", err)
	}
	return w.warnOfDuplicates(ctx)
}

// warnOfDuplicates tells lines that another one of the same id overrules with other values:
// a query that joins too much, as its rows are in no order.
func (w *writer) warnOfDuplicates(ctx context.Context) error {
	values := func(of string) string { return "ROW(" + of + "." + strings.Join(staged[2:], ", "+of+".") + ")" }
	found, _, err := w.find(ctx, "comparing lines of the same id", `SELECT l.line, l.kind, l.client_id::text, l.id::text, `+idField+`,
			'another of the same id has other values: the last one counts'
		FROM import_lines AS l
		JOIN import_keys AS k ON k.kind = l.kind AND k.client_id = l.client_id AND k.id = l.id AND k.line > l.line
		JOIN import_lines AS n ON n.line = k.line
		WHERE NOT l.deletes
			AND NOT n.deletes
			AND record_image_ne(`+values("l")+", "+values("n")+")")
	d := w.decoder
	d.warnings = append(d.warnings, found[:min(len(found), max(0, maxLineErrors-len(d.warnings)))]...)
	return err
}

// lock waits for other imports of the same clients.
func (w *writer) lock(ctx context.Context) error {
	rows, _ := w.tx.Query(ctx, "SELECT DISTINCT client_id FROM import_keys") // CollectRows returns its error
	clients, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if w.replacing != nil {
		clients = append(clients, w.replacing.clients...)
	}
	slices.SortFunc(clients, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	w.clients = slices.Compact(clients)
	if err == nil {
		err = lockClients(ctx, w.tx, w.clients, w.decoder.options.MaxWait, w.decoder.options.Waiting)
	}
	return databaseError("waiting for other imports", err)
}

// suppress forgets the lines of interviews that were erased, and their ids in saved bases.
func (w *writer) suppress(ctx context.Context) error {
	if err := w.exec(ctx, "looking up erased interviews", `UPDATE import_lines AS l
		SET source_interview_ids = ARRAY(
			SELECT u.id
			FROM unnest(l.source_interview_ids) WITH ORDINALITY AS u (id, n)
			WHERE NOT EXISTS (SELECT FROM suppressed_interviews AS s WHERE s.client_id = l.client_id AND s.id = u.id)
			ORDER BY u.n
		)
		WHERE l.kind = 'measurement_snapshot'
			AND EXISTS (
				SELECT FROM suppressed_interviews AS s WHERE s.client_id = l.client_id AND s.id = ANY (l.source_interview_ids)
			)`); err != nil {
		return err
	}
	done, err := w.tx.Exec(ctx, `DELETE FROM import_keys AS k
		USING suppressed_interviews AS s
		WHERE k.kind = 'interview'
			AND NOT k.deletes
			AND k.client_id = s.client_id
			AND k.id = s.id`)
	w.count(interviewKind).Suppressed = done.RowsAffected()
	return databaseError("looking up erased interviews", err)
}

// listStored makes import_stored: what is there already of the kinds that others refer to. A
// copy, as a distributed table cannot be joined with a local one in every way.
func (w *writer) listStored(ctx context.Context) error {
	return w.exec(ctx, "listing what is stored", `CREATE TEMPORARY TABLE import_stored ON COMMIT DROP AS
		SELECT 'client' AS kind, c.id AS client_id, c.id, c.slug FROM clients AS c;
		INSERT INTO import_stored (kind, client_id, id, slug)
		SELECT 'campaign', c.client_id, c.id, c.slug
		FROM campaigns AS c
		JOIN (SELECT DISTINCT client_id FROM import_keys) AS k ON k.client_id = c.client_id;
		INSERT INTO import_stored (kind, client_id, id, slug)
		SELECT 'lane', l.client_id, l.id, l.slug
		FROM lanes AS l
		JOIN (SELECT DISTINCT client_id FROM import_keys) AS k ON k.client_id = l.client_id;
		INSERT INTO import_stored (kind, client_id, id)
		SELECT 'measurement_snapshot', s.client_id, s.id
		FROM measurement_snapshots AS s
		JOIN (SELECT DISTINCT client_id FROM import_keys) AS k ON k.client_id = s.client_id;
		CREATE INDEX ON import_stored (kind, client_id, id);
		ANALYZE import_stored`)
}

// writeRecords puts the records in place, campaigns before interviews, which copy whether
// theirs is live. Foreign keys are checked at the end.
func (w *writer) writeRecords(ctx context.Context) error {
	for _, k := range kinds {
		var writes, deletes int64
		err := w.tx.QueryRow(ctx, `SELECT count(*) FILTER (WHERE NOT deletes), count(*) FILTER (WHERE deletes AND line IS NOT NULL)
			FROM import_keys
			WHERE kind = $1`, k.name).Scan(&writes, &deletes)
		if err == nil && k != clientKind {
			err = w.delete(ctx, k)
		}
		if err == nil && writes > 0 {
			err = w.merge(ctx, k, writes)
		}
		if err != nil {
			return databaseError("writing "+k.table, err)
		}
		done := w.count(k)
		for _, bad := range w.decoder.bad {
			if bad.Kind == k.name {
				done.SetAside++
			}
		}
		done.Unchanged = w.decoder.counts[k] - done.Added - done.Changed - deletes - done.SetAside - done.Suppressed
		done.Missing = max(0, deletes-done.Removed)
	}
	return nil
}

// delete deletes the records that a line deletes or that the input lacks.
func (w *writer) delete(ctx context.Context, k *kind) error {
	done, err := w.tx.Exec(ctx, fmt.Sprintf(`DELETE FROM %s AS t
		USING import_keys AS k
		WHERE k.kind = '%s'
			AND k.deletes
			AND t.client_id = k.client_id
			AND t.id = k.id`, k.table, k.name))
	w.count(k).Removed = done.RowsAffected()
	return err
}

// merge inserts the records of a kind that are new, then updates those that differ. It
// compares the stored bytes: to jsonb 1.0 and 1.00 are equal, and readers are promised
// every digit. A record that is stored as the input has it is neither written nor locked.
// Without RETURNING, Citus counts the rows that existed as inserted. Interviews are in
// the order of three of their indexes: each then goes to the pages that the one before it
// wrote.
func (w *writer) merge(ctx context.Context, k *kind, total int64) error {
	from := fmt.Sprintf("import_keys AS k JOIN import_lines AS l ON l.line = k.line WHERE k.kind = '%s' AND NOT k.deletes", k.name)
	columns, inserted := strings.Join(k.columnNames(), ", "), "l."+strings.Join(k.columnNames(), ", l.")
	updated := inserted
	key, same, order := "client_id, id", "t.client_id = l.client_id AND t.id = l.id", ""
	switch k {
	case clientKind:
		// A line without a mode leaves mode and version as they are; a version that it
		// names all the same is taken.
		inserted = "l.id, l.slug, l.name, coalesce(l.measurement_mode, 'legacy'), l.measurement_contract_version, nullif(l.allowed_scopes, '{" + scopesUnchanged + "}')"
		updated = `l.id, l.slug, l.name, coalesce(l.measurement_mode, t.measurement_mode),
			CASE WHEN l.measurement_mode IS NULL THEN coalesce(l.measurement_contract_version, t.measurement_contract_version)
				ELSE l.measurement_contract_version END,
			CASE WHEN l.allowed_scopes = '{` + scopesUnchanged + `}' THEN t.allowed_scopes ELSE l.allowed_scopes END`
		key, same = "id", "t.id = l.id"
	case interviewKind:
		order = "ORDER BY l.client_id, l.created_at DESC, l.id"
	}
	added, err := w.tx.Exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s %s ON CONFLICT (%s) DO NOTHING RETURNING 1",
		k.table, columns, inserted, from, order, key))
	if err != nil {
		return err
	}
	w.count(k).Added = added.RowsAffected()
	if added.RowsAffected() == total {
		return nil
	}
	changed, err := w.tx.Exec(ctx, fmt.Sprintf("UPDATE %[1]s AS t SET (%[2]s) = ROW(%[3]s) FROM %[4]s AND %[5]s AND record_image_ne(ROW(t.%[6]s), ROW(%[3]s))",
		k.table, columns, updated, from, same, strings.Join(k.columnNames(), ", t.")))
	w.count(k).Changed = changed.RowsAffected()
	return err
}

// deleteClients deletes the clients that the input deletes, after their last record, with
// their revoked keys and their counters.
func (w *writer) deleteClients(ctx context.Context) error {
	rows, _ := w.tx.Query(ctx, "SELECT id FROM import_keys WHERE kind = 'client' AND deletes") // CollectRows returns its error
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil || len(ids) == 0 {
		return databaseError("deleting clients", err)
	}
	// A key issued since the check stays, and with it the client.
	if _, err := w.queries.DeleteKeys(ctx, db.DeleteKeysParams{ClientIds: ids, OnlyRevoked: true, Account: apikey.Account()}); err != nil {
		return databaseError("deleting keys", err)
	}
	done := w.count(clientKind)
	done.Removed, err = w.queries.DeleteClients(ctx, ids)
	done.Missing -= done.Removed
	if err == nil {
		err = w.queries.DeleteMeasurementChanges(ctx, ids)
	}
	return databaseError("deleting clients", err)
}

func (w *writer) count(k *kind) *KindSummary {
	if w.written[k] == nil {
		w.written[k] = &KindSummary{Kind: k.name}
	}
	return w.written[k]
}

func (w *writer) summary() []KindSummary {
	var all []KindSummary
	for _, k := range allKinds {
		if done := w.count(k); *done != (KindSummary{Kind: k.name}) {
			all = append(all, *done)
		}
	}
	return all
}
