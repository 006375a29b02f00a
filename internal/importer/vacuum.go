package importer

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Vacuum updates the planner's statistics and the visibility map, on which
// index-only scans depend, of the tables of which an import changed more than a
// tenth. Autovacuum would do it later. Call it after an import, outside any
// transaction; when it fails, the import stands.
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
		if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) "+table); err != nil {
			return fmt.Errorf("vacuuming %s: %w", table, err)
		}
		if table != "interviews" {
			continue
		}
		// The interviews' triggers wrote to it. All of it is written again
		// when it is indexed, so it is not vacuumed yet.
		if _, err := conn.Exec(ctx, "ANALYZE search_documents"); err != nil {
			return fmt.Errorf("analyzing search_documents: %w", err)
		}
	}
	return nil
}
