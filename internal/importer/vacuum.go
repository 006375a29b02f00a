package importer

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
)

// Vacuum updates the planner's statistics and the visibility map, on which index-only
// scans depend, if an import changed anything. Autovacuum does it later where the login may
// not, such as an importer's before PostgreSQL 17. Call it
// after an import, outside any transaction; if it fails, the import is still committed.
func Vacuum(ctx context.Context, conn *pgx.Conn, s Summary) error {
	if !slices.ContainsFunc(s.Kinds, func(k KindSummary) bool { return k.Added+k.Changed+k.Removed > 0 }) {
		return nil
	}
	return postgres.WithLogin(ctx, conn, `VACUUM (SKIP_LOCKED, ANALYZE) clients, campaigns, lanes, interviews, search_documents, synthesis_documents,
		portal_documents, measurement_snapshots`)
}
