package importer

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Settle tells the planner of what an import wrote, and marks the pages that
// every reader sees whole, on which index-only scans depend. Autovacuum would
// come to it in its own time. Only tables of which an import changed more than
// a tenth are visited. It is for after an import, outside any transaction; when
// it fails, nothing that was imported is in doubt.
func Settle(ctx context.Context, conn *pgx.Conn, s Summary) error {
	for _, done := range s.Kinds {
		table := kindNamed(done.Kind).table
		var rows float64
		// -1 is a table that nobody has counted yet.
		err := conn.QueryRow(ctx, "SELECT reltuples FROM pg_class WHERE oid = $1::regclass", table).Scan(&rows)
		if err != nil {
			return fmt.Errorf("looking up the size of %s: %w", table, err)
		}
		if float64(done.Written+done.Deleted)*10 <= rows {
			continue
		}
		if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) "+table); err != nil {
			return fmt.Errorf("vacuuming %s: %w", table, err)
		}
		if table != "interviews" {
			continue
		}
		// What the interviews' triggers wrote on the way. All of it is written again
		// when it is indexed, so it is not vacuumed yet.
		if _, err := conn.Exec(ctx, "ANALYZE search_documents"); err != nil {
			return fmt.Errorf("analyzing search_documents: %w", err)
		}
	}
	return nil
}
