package postgres

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"github.com/clientintel/clientintel/sql/migrations"
)

// MigrationState is the state of a migration in a database.
type MigrationState string

// The states of a migration.
const (
	Applied MigrationState = "applied"
	Pending MigrationState = "pending"
	// Changed was applied with another text.
	Changed MigrationState = "changed since"
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
	return onSimpleConnection(ctx, ownerURL, readMigrationStatuses)
}

func readMigrationStatuses(ctx context.Context, conn *pgx.Conn) ([]MigrationStatus, error) {
	schema, err := readSchemaAsOwner(ctx, conn)
	if err != nil {
		return nil, err
	}
	type row struct {
		At   time.Time
		Hash *string
	}
	var applied []row // without gaps
	if schema.Version > 0 {
		rows, _ := conn.Query(ctx, `SELECT max(v.tstamp), max(h.sha256)
			FROM public.goose_db_version AS v
			LEFT JOIN public.migration_hashes AS h ON h.version_id = v.version_id
			WHERE v.version_id > 0 AND v.is_applied
			GROUP BY v.version_id
			ORDER BY v.version_id`) // CollectRows returns its error
		if applied, err = pgx.CollectRows(rows, pgx.RowToStructByPos[row]); err != nil {
			return nil, fmt.Errorf("reading which migrations were applied: %w", err)
		}
	}
	var statuses []MigrationStatus
	for i, name := range migrationNames() {
		s := MigrationStatus{Version: int64(i + 1), Name: strings.TrimSuffix(name, ".sql"), State: Pending}
		if i < len(applied) {
			hash, err := migrationHash(migrations.Files, name)
			if err != nil {
				return nil, err
			}
			s.State, s.AppliedAt = Applied, &applied[i].At
			if was := applied[i].Hash; was != nil && *was != hash {
				s.State = Changed
			}
		}
		statuses = append(statuses, s)
	}
	for i := len(statuses); i < len(applied); i++ {
		statuses = append(statuses, MigrationStatus{int64(i + 1), fmt.Sprintf("%05d", i+1), Newer, &applied[i].At})
	}
	return statuses, nil
}

// storeHashes stores the hash of each migration's text as it was applied.
func storeHashes(ctx context.Context, db *sql.DB, files fs.FS, applied []*goose.MigrationResult) error {
	for _, result := range applied {
		hash, err := migrationHash(files, path.Base(result.Source.Path))
		if err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, `INSERT INTO public.migration_hashes (version_id, sha256) VALUES ($1, $2)
			ON CONFLICT (version_id) DO UPDATE SET sha256 = excluded.sha256`, result.Source.Version, hash); err != nil {
			return fmt.Errorf("storing the hash of migration %d: %w", result.Source.Version, err)
		}
	}
	return nil
}

func migrationHash(files fs.FS, name string) (string, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return "", fmt.Errorf("reading migration %s: %w", name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
