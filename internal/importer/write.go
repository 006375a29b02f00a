package importer

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// writer puts batches into the database, inside the import's transaction.
type writer struct {
	tx     pgx.Tx
	counts map[*kind]*KindSummary
	// staged are the kinds whose staging table was made.
	staged   map[*kind]bool
	liveness liveness
}

func newWriter(tx pgx.Tx) *writer {
	return &writer{
		tx:       tx,
		counts:   map[*kind]*KindSummary{},
		staged:   map[*kind]bool{},
		liveness: newLiveness(),
	}
}

func (w *writer) count(k *kind) *KindSummary {
	if w.counts[k] == nil {
		w.counts[k] = &KindSummary{Kind: k.name}
	}
	return w.counts[k]
}

func (w *writer) summary() []KindSummary {
	var all []KindSummary
	for _, k := range kinds {
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
	fresh, err := w.register(ctx, b)
	if err != nil {
		return err
	}
	if err := w.settleLiveness(ctx, b); err != nil {
		return err
	}
	if fresh {
		err = w.copy(ctx, b, b.kind.table)
	} else {
		err = w.merge(ctx, b)
	}
	if err != nil {
		return databaseError(ctx, fmt.Sprintf("writing %s, lines %d to %d", b.kind.table, b.rows[0].line, b.rows[len(b.rows)-1].line), err)
	}
	w.count(b.kind).Written += b.written
	return nil
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
	w.liveness.forget(b.kind, b.deletes)
	count := w.count(b.kind)
	count.Deleted += done.RowsAffected()
	count.Missing += b.removed - done.RowsAffected()
	return nil
}

// copy streams the batch's rows into a table that has the kind's columns.
func (w *writer) copy(ctx context.Context, b *batch, table string) error {
	_, err := w.tx.Conn().PgConn().CopyFrom(ctx, b.stream(), fmt.Sprintf(
		"COPY %s (%s) FROM STDIN (FORMAT binary)", table, strings.Join(b.kind.columnNames(), ", ")))
	return err
}
