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
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/sql/importing"
)

// writer puts an input into the database, inside the import's transaction: all of it into
// one temporary table, import_lines, and from there, once it is checked as a whole, to
// where it belongs.
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
	for _, step := range []struct {
		doing string
		do    func(context.Context) error
	}{
		{"looking up clients", func(ctx context.Context) error { return w.beginReplacing(ctx, asked) }},
		{"staging the input", w.stage},
		{"listing the records", w.listKeys},
		{"waiting for other imports", w.lock},
		{"looking up erased interviews", w.suppress},
		{"listing what is stored", w.listStored},
		{"comparing with what is stored", w.removeTheRest},
		{"registering ids", w.queries.RegisterIDs},
		{"looking up the owners of ids", w.setAside(db.FindForeignIDs)},
		{"waiting for other imports of clients", w.queries.LockClientSlugs},
		{"looking up slugs", w.setAside(db.FindTakenSlugs)},
		{"looking up references", w.checkReferences},
		{"counting what is removed", w.checkRemovals},
		{"writing records", w.writeRecords},
		{"looking up references to what is deleted", w.checkDeletes},
		{"deleting clients", w.deleteClients},
		{"writing keys", w.mergeAPIKeys},
		{"writing the log of requests", w.mergeRequestLog},
		{"noting the import", func(ctx context.Context) error { return w.noteSuccess(ctx, started) }},
	} {
		if err := step.do(ctx); postgres.SQLState(err) != "" {
			return fmt.Errorf("%s: %w", step.doing, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) exec(ctx context.Context, query string, args ...any) error {
	_, err := w.tx.Exec(ctx, query, args...)
	return err
}

// stage copies the input into import_lines.
func (w *writer) stage(ctx context.Context) error {
	defer func() { _ = w.decoder.lines.in.Close() }() // it may be closed already
	if err := w.exec(ctx, importing.Tables); err != nil {
		return err
	}
	var err error
	w.staged, err = w.tx.CopyFrom(ctx, pgx.Identifier{"import_lines"}, staged, w.decoder)
	if wrong := w.decoder.err; wrong != nil && ctx.Err() == nil {
		return wrong // the database's error only repeats it
	}
	w.decoder.report(true)
	return err
}

// listKeys fills import_keys.
func (w *writer) listKeys(ctx context.Context) error {
	listed, err := w.queries.ListImportedKeys(ctx)
	if err == nil {
		err = w.exec(ctx, `CREATE INDEX ON import_keys (kind, client_id, id);
			CREATE INDEX ON import_lines (line);
			ANALYZE import_keys;
			ANALYZE import_lines (line, kind)`)
	}
	if err != nil || listed == w.staged {
		return err
	}
	return w.warnOfDuplicates(ctx)
}

// warnOfDuplicates tells lines that another one of the same id overrules with other values:
// a query that joins too much, as its rows are in no order.
func (w *writer) warnOfDuplicates(ctx context.Context) error {
	values := func(of string) string { return "ROW(" + of + "." + strings.Join(staged[2:], ", "+of+".") + ")" }
	found, _, err := w.find(ctx, `SELECT l.line, l.kind, l.client_id::text, l.id::text, `+idField+`,
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
	clients, err := w.queries.ListImportedClients(ctx)
	if err != nil {
		return err
	}
	if w.replacing != nil {
		clients = append(clients, w.replacing.clients...)
	}
	slices.SortFunc(clients, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	w.clients = slices.Compact(clients)
	return lockClients(ctx, w.tx, w.clients, w.decoder.options.MaxWait, w.decoder.options.Waiting)
}

// suppress forgets the lines of interviews that were erased, and their ids in saved bases.
func (w *writer) suppress(ctx context.Context) error {
	err := w.queries.ForgetErasedIDs(ctx)
	if err == nil {
		w.count(interviewKind).Suppressed, err = w.queries.ForgetErasedInterviews(ctx)
	}
	return err
}

// listStored fills import_stored.
func (w *writer) listStored(ctx context.Context) error {
	return inOrder(ctx, w.queries.ListStoredClients, w.queries.ListStoredCampaigns, w.queries.ListStoredLanes, w.queries.ListStoredSnapshots,
		func(ctx context.Context) error {
			return w.exec(ctx, "CREATE INDEX ON import_stored (kind, client_id, id); ANALYZE import_stored")
		})
}

// inOrder takes steps until one fails.
func inOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// writeRecords puts the records in place, campaigns before interviews, which copy whether
// theirs is live. Foreign keys are checked at the end.
func (w *writer) writeRecords(ctx context.Context) error {
	for _, k := range kinds {
		counted, err := w.queries.CountImported(ctx, k.name)
		if err == nil && k != clientKind {
			err = w.delete(ctx, k)
		}
		if err == nil && counted.Writes > 0 {
			err = w.merge(ctx, k, counted.Writes)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", k.table, err)
		}
		done := w.count(k)
		for _, bad := range w.decoder.bad {
			if bad.Kind == k.name {
				done.SetAside++
			}
		}
		done.Unchanged = w.decoder.counts[k] - done.Added - done.Changed - counted.Deletes - done.SetAside - done.Suppressed
		done.Missing = max(0, counted.Deletes-done.Removed)
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
	ids, err := w.queries.ListDeletedClients(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	// A key issued since the check stays, and with it the client.
	if _, err := w.queries.DeleteKeys(ctx, db.DeleteKeysParams{ClientIds: ids, OnlyRevoked: true, Account: apikey.Account()}); err != nil {
		return err
	}
	done := w.count(clientKind)
	if done.Removed, err = w.queries.DeleteClients(ctx, ids); err != nil {
		return err
	}
	done.Missing -= done.Removed
	return w.queries.DeleteMeasurementChanges(ctx, ids)
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
