package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// MigrationState is the state of a migration in a database.
type MigrationState string

// The states of a migration.
const (
	Applied MigrationState = "applied"
	Pending MigrationState = "pending"
	// Newer was applied by a later release.
	Newer MigrationState = "of a later release"
)

// MigrationStatus is one migration.
type MigrationStatus struct {
	Version   int64          `json:"version"`
	Name      string         `json:"name"`
	State     MigrationState `json:"state"`
	AppliedAt *time.Time     `json:"applied_at"`
}

// MigrationStatuses compares a database with this release's migrations, and
// changes nothing.
func MigrationStatuses(ctx context.Context, ownerURL string) ([]MigrationStatus, error) {
	return onSimpleConnection(ctx, ownerURL, func(ctx context.Context, conn *pgx.Conn) ([]MigrationStatus, error) {
		if err := checkOwner(ctx, conn); err != nil {
			return nil, err
		}
		schema, err := ReadSchema(ctx, conn)
		if err != nil {
			return nil, err
		}
		var applied []time.Time // without gaps
		if schema.Version > 0 {
			rows, _ := conn.Query(ctx, `SELECT max(v.tstamp)
				FROM public.goose_db_version AS v
				WHERE v.version_id > 0 AND v.is_applied
				GROUP BY v.version_id
				ORDER BY v.version_id`) // CollectRows returns its error
			if applied, err = pgx.CollectRows(rows, pgx.RowTo[time.Time]); err != nil {
				return nil, fmt.Errorf("reading which migrations were applied: %w", err)
			}
		}
		return statusesOf(migrationNames(), applied), nil
	})
}

func statusesOf(names []string, applied []time.Time) []MigrationStatus {
	var statuses []MigrationStatus
	for i := range max(len(names), len(applied)) {
		s := MigrationStatus{Version: int64(i + 1), Name: fmt.Sprintf("%05d", i+1), State: Newer}
		if i < len(names) {
			s.Name, s.State = strings.TrimSuffix(names[i], ".sql"), Applied
		}
		if i < len(applied) {
			s.AppliedAt = &applied[i]
		} else {
			s.State = Pending
		}
		statuses = append(statuses, s)
	}
	return statuses
}
