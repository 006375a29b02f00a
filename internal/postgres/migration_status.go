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

// MigrationState says how a migration of this release and a database relate.
type MigrationState string

// The states of a migration.
const (
	Applied MigrationState = "applied"
	Pending MigrationState = "pending"
	// Changed was applied, and was another text then.
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
	conn, err := connectSimply(ctx, ownerURL)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := checkOwner(ctx, conn); err != nil {
		return nil, err
	}
	schema, err := ReadSchema(ctx, conn)
	if err != nil {
		return nil, err
	}
	if schema.unreleased {
		return nil, ErrUnreleasedSchema
	}
	type row struct {
		at   time.Time
		hash *string
	}
	applied := map[int64]row{}
	if schema.Version > 0 {
		rows, _ := conn.Query(ctx, `SELECT v.version_id, max(v.tstamp) AT TIME ZONE 'UTC', max(h.sha256)
			FROM public.goose_db_version AS v
			LEFT JOIN public.migration_hashes AS h ON h.version_id = v.version_id
			WHERE v.version_id > 0 AND v.is_applied
			GROUP BY v.version_id`) // ForEachRow returns its error
		var version int64
		var r row
		if _, err := pgx.ForEachRow(rows, []any{&version, &r.at, &r.hash}, func() error {
			applied[version] = r
			return nil
		}); err != nil {
			return nil, fmt.Errorf("reading which migrations were applied: %w", err)
		}
	}
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return nil, err
	}
	var statuses []MigrationStatus
	for i, name := range names {
		version := int64(i + 1)
		s := MigrationStatus{Version: version, Name: strings.TrimSuffix(name, ".sql"), State: Pending}
		if was, ok := applied[version]; ok {
			hash, err := migrationHash(migrations.Files, name)
			if err != nil {
				return nil, err
			}
			at := was.at.UTC()
			s.State, s.AppliedAt = Applied, &at
			if was.hash != nil && *was.hash != hash {
				s.State = Changed
			}
		}
		statuses = append(statuses, s)
	}
	for version := SchemaVersion() + 1; version <= schema.Version; version++ {
		at := applied[version].at.UTC()
		statuses = append(statuses, MigrationStatus{version, fmt.Sprintf("%05d", version), Newer, &at})
	}
	return statuses, nil
}

// storeHashes keeps what each migration was when it was applied.
func storeHashes(ctx context.Context, db *sql.DB, files fs.FS, applied []*goose.MigrationResult) error {
	for _, result := range applied {
		hash, err := migrationHash(files, path.Base(result.Source.Path))
		if err != nil {
			return err
		}
		// A schema up to an older version may not have the table.
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
