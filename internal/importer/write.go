package importer

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
)

// writer puts batches into the database, inside the import's transaction.
type writer struct {
	tx      pgx.Tx
	queries *db.Queries
	counts  map[*kind]*KindSummary
	// mayCopy is set when row-level security lets this login COPY into tables.
	mayCopy bool
	// staged are the kinds whose staging table was made.
	staged  map[*kind]bool
	cleanup stagingCleanup
	// known are the kinds of which an id was registered before, claimedNew the batches
	// that were registered as if none were.
	known      map[*kind]bool
	claimedNew int
	// campaigns are those that were looked up and are as they were.
	campaigns map[recordKey]campaignState
	// assumed are the campaigns whose interviews may have to be corrected.
	assumed map[recordKey]bool
	// analyzed is how many rows of a kind the planner's statistics know, -1 without any.
	analyzed map[*kind]int64
	// deferred are the checks of the end, nil until then.
	deferred *deferredChecks
	// replacing is nil when the input only adds.
	replacing *replacing
}

func newWriter(tx pgx.Tx) *writer {
	return &writer{
		tx:        tx,
		queries:   db.New(tx),
		counts:    map[*kind]*KindSummary{},
		staged:    map[*kind]bool{},
		known:     map[*kind]bool{},
		campaigns: map[recordKey]campaignState{},
		assumed:   map[recordKey]bool{},
		analyzed:  map[*kind]int64{},
	}
}

// begin makes the table of a batch's ids, and looks up what this login may do.
func (w *writer) begin(ctx context.Context) error {
	if _, err := w.tx.Exec(ctx, "CREATE TEMPORARY TABLE import_ids (client_id uuid, id uuid) ON COMMIT DROP"); err != nil {
		return databaseError(ctx, "beginning", err)
	}
	err := w.tx.QueryRow(ctx, "SELECT NOT row_security_active('interviews')").Scan(&w.mayCopy)
	return databaseError(ctx, "asking for row-level security", err)
}

func (w *writer) count(k *kind) *KindSummary {
	if w.counts[k] == nil {
		w.counts[k] = &KindSummary{Kind: k.name}
	}
	return w.counts[k]
}

func (w *writer) summary() []KindSummary {
	var all []KindSummary
	for _, k := range allKinds {
		if c := w.counts[k]; c != nil {
			all = append(all, *c)
		}
	}
	return all
}

// write puts one batch in place.
func (w *writer) write(ctx context.Context, b *batch) error {
	if err := w.delete(ctx, b); err != nil {
		return err
	}
	if len(b.rows) == 0 {
		return nil
	}
	if err := w.fillCampaignLive(ctx, b); err != nil {
		return err
	}
	w.count(b.kind).Unchanged += b.written // what is put in place is taken off
	if b.kind.ofKeys() {
		// Merged at the end.
		return w.writeError(ctx, b, w.stage(ctx, b))
	}
	fresh, err := w.registerIDs(ctx, b)
	if err != nil {
		return err
	}
	if !fresh {
		if err := w.deleteMovedToAssumed(ctx, b); err != nil {
			return err
		}
	}
	if err := w.put(ctx, b, fresh); err != nil {
		if isDuplicate(err) {
			err = w.describeDuplicate(ctx, b, err)
		}
		return w.writeError(ctx, b, err)
	}
	return w.analyze(ctx, b.kind)
}

func (w *writer) writeError(ctx context.Context, b *batch, err error) error {
	return databaseError(ctx, "writing "+b.kind.table+", "+span(b.rows[0].at, b.rows[len(b.rows)-1].at), err)
}

// tally counts lines that were counted as unchanged as added or changed.
func (w *writer) tally(k *kind, added, changed int64) {
	count := w.count(k)
	count.Added += added
	count.Changed += changed
	count.Unchanged -= added + changed
}

func (w *writer) delete(ctx context.Context, b *batch) error {
	if len(b.deletes) == 0 {
		return nil
	}
	if err := w.checkOwners(ctx, b.kind, b.deletes); err != nil {
		return err
	}
	clients, ids := identities(b.deletes)
	done, err := w.tx.Exec(ctx, fmt.Sprintf(`DELETE FROM %s WHERE (client_id, id) IN (
		SELECT d.client_id, d.id FROM unnest($1::uuid[], $2::uuid[]) AS d (client_id, id)
	)`, b.kind.table), clients, ids)
	if err != nil {
		return databaseError(ctx, "deleting from "+b.kind.table, err)
	}
	w.forgetCampaigns(b.kind, b.deletes)
	count := w.count(b.kind)
	count.Removed += done.RowsAffected()
	count.Missing += b.deleted - done.RowsAffected()
	return nil
}

// put puts the batch's rows in place: of fresh ones none exists. Rows are staged where
// some exist, or where row-level security refuses COPY.
func (w *writer) put(ctx context.Context, b *batch, fresh bool) error {
	if fresh && w.mayCopy {
		copied, err := w.copy(ctx, b.copy, b.kind.table, b.kind.columnNames())
		if err != nil {
			return err
		}
		w.tally(b.kind, copied, 0)
		return w.merge(ctx, b, nil, "import_ids")
	}
	if err := w.stage(ctx, b); err != nil {
		return err
	}
	queries := b.kind.mergeQueries()
	if fresh {
		queries = []string{b.kind.insertQuery()}
	}
	return w.merge(ctx, b, queries, "import_ids", "import_"+b.kind.table)
}

// stage streams the batch's rows into the kind's staging table.
func (w *writer) stage(ctx context.Context, b *batch) error {
	k := b.kind
	if !w.staged[k] {
		// Nothing is compressed or moved out of line twice.
		_, err := w.tx.Exec(ctx, fmt.Sprintf("CREATE TEMPORARY TABLE import_%[1]s WITH (toast_tuple_target = 8160) ON COMMIT DROP AS SELECT %[2]s FROM %[1]s WITH NO DATA",
			k.table, strings.Join(k.columnNames(), ", ")))
		if err != nil {
			return err
		}
		w.staged[k] = true
	}
	_, err := w.copy(ctx, b.copy, "import_"+k.table, k.columnNames())
	return err
}

func (w *writer) copy(ctx context.Context, rows []byte, table string, columns []string) (int64, error) {
	query := fmt.Sprintf("COPY %s (%s) FROM STDIN (FORMAT binary)", table, strings.Join(columns, ", "))
	done, err := w.tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(rows), query)
	return done.RowsAffected(), err
}

// merge runs the queries that move the staged rows to where they belong, and empties
// the tables in which they were.
func (w *writer) merge(ctx context.Context, b *batch, queries []string, staged ...string) error {
	steps := &pgx.Batch{}
	for _, query := range queries {
		steps.Queue(query).Exec(func(tag pgconn.CommandTag) error {
			if tag.Insert() {
				w.tally(b.kind, tag.RowsAffected(), 0)
			} else {
				w.tally(b.kind, 0, tag.RowsAffected())
			}
			return nil
		})
	}
	if w.replacing != nil && b.kind != clientKind {
		steps.Queue("INSERT INTO kept_" + b.kind.table + " SELECT i.client_id, i.id FROM import_ids AS i")
	}
	for _, statement := range w.cleanup.statements(len(b.rows), staged) {
		steps.Queue(statement)
	}
	return w.tx.SendBatch(ctx, steps).Close()
}

// describeDuplicate names which of the batch's records is there already: under
// row-level security the database's own error does not. The import is over.
func (w *writer) describeDuplicate(ctx context.Context, b *batch, cause error) error {
	if err := w.tx.Rollback(ctx); err != nil {
		return cause
	}
	clients, ids := identities(b.rows)
	var at int
	err := w.tx.Conn().QueryRow(ctx, fmt.Sprintf(`SELECT r.ord
		FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS r (client_id, id, ord)
		JOIN %s AS t USING (client_id, id)
		ORDER BY r.ord
		LIMIT 1`, b.kind.table), clients, ids).Scan(&at)
	if err != nil {
		return cause
	}
	r := b.rows[at-1]
	return fmt.Errorf("%s: %s holds a record %s that no import wrote: %w", r.at, b.kind.table, r.id, cause)
}
