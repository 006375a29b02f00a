package importer

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

const (
	// maxGrowth is how many times as large as its statistics say a table may become.
	maxGrowth = 8
	// maxAnalyzed is with how many rows the planner tells a table's indexes apart.
	maxAnalyzed = 10_000
)

// analyze updates the planner's statistics of a table that grows manifold during the
// import. If the statistics say that a table has few rows, every index looks equally
// good, and each lookup reads all of a client's rows. Without statistics the planner
// looks at the table's size. A table that another session has locked is skipped: that
// session updates the statistics.
func (w *writer) analyze(ctx context.Context, k *kind) error {
	written := w.count(k).Added
	rows, known := w.analyzed[k]
	if !known {
		err := w.tx.QueryRow(ctx, "SELECT reltuples::bigint FROM pg_class WHERE oid = $1::regclass", k.table).Scan(&rows)
		if err != nil {
			return databaseError(ctx, "looking up the size of "+k.table, err)
		}
		w.analyzed[k] = rows
	}
	if rows < 0 || rows >= maxAnalyzed || rows*maxGrowth >= written {
		return nil
	}
	tables := k.table
	if k == interviewKind {
		tables += ", search_documents" // which the triggers of interviews write
	}
	if _, err := w.tx.Exec(ctx, "ANALYZE (SKIP_LOCKED) "+tables); err != nil {
		return databaseError(ctx, "analyzing "+tables, err)
	}
	w.analyzed[k] = written
	return nil
}

// Vacuum updates the planner's statistics and the visibility map, on which
// index-only scans depend, of the tables of which an import changed more than a
// tenth. Autovacuum would do it later. Call it after an import, outside any
// transaction; if it fails, the import is still committed.
func Vacuum(ctx context.Context, conn *pgx.Conn, s Summary) error {
	for _, done := range s.Kinds {
		table := kindNamed(done.Kind).table
		var rows float64
		// -1 is a table that was never analyzed.
		err := conn.QueryRow(ctx, "SELECT reltuples FROM pg_class WHERE oid = $1::regclass", table).Scan(&rows)
		if err != nil {
			return fmt.Errorf("looking up the size of %s: %w", table, err)
		}
		if float64(done.Added+done.Changed+done.Removed)*10 <= rows {
			continue
		}
		if _, err := conn.Exec(ctx, "VACUUM (SKIP_LOCKED, ANALYZE) "+table); err != nil {
			return fmt.Errorf("vacuuming %s: %w", table, err)
		}
		if table == "interviews" {
			// The interviews' triggers wrote to it. All of it is written again
			// when it is indexed, so it is not vacuumed yet.
			if _, err := conn.Exec(ctx, "ANALYZE (SKIP_LOCKED) search_documents"); err != nil {
				return fmt.Errorf("analyzing search_documents: %w", err)
			}
		}
	}
	return nil
}
