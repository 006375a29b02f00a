package importer

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Vacuum updates the planner's statistics and the visibility map, on which index-only
// scans depend, of the tables that an import changed. Autovacuum would do it later. Call
// it after an import, outside any transaction; if it fails, the import is still committed.
func Vacuum(ctx context.Context, conn *pgx.Conn, s Summary) error {
	for _, done := range s.Kinds {
		if done.Added+done.Changed+done.Removed == 0 {
			continue
		}
		table := kindNamed(done.Kind).table
		if _, err := conn.Exec(ctx, "VACUUM (SKIP_LOCKED, ANALYZE) "+table); err != nil {
			return fmt.Errorf("vacuuming %s: %w", table, err)
		}
		if table != interviewKind.table {
			continue
		}
		// The interviews' triggers wrote to it. All of it is written again
		// when it is indexed, so it is not vacuumed yet.
		if _, err := conn.Exec(ctx, "ANALYZE (SKIP_LOCKED) search_documents"); err != nil {
			return fmt.Errorf("analyzing search_documents: %w", err)
		}
	}
	return nil
}
