package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/clientintel/clientintel/sql/migrations"
)

// MinServerVersion is the oldest PostgreSQL that the schema works on:
// security-invoker views came with it.
const MinServerVersion = 150000

// Migrate brings the schema up to date as the owner, and returns how many
// migrations it applied. Several processes may call it at once: one works, the
// others wait for it.
func Migrate(ctx context.Context, ownerURL string) (int, error) {
	return migrate(ctx, ownerURL, goose.MaxVersion)
}

// MigrateTo is Migrate up to the migration of a number, for tests of older schemas.
func MigrateTo(ctx context.Context, ownerURL string, version int64) error {
	_, err := migrate(ctx, ownerURL, version)
	return err
}

func migrate(ctx context.Context, ownerURL string, version int64) (int, error) {
	config, err := parseURL(ownerURL)
	if err != nil {
		return 0, err
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		return set(ctx, conn, sessionSettings)
	}))
	defer db.Close()

	var server int
	if err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::integer`).Scan(&server); err != nil {
		return 0, fmt.Errorf("connecting to the database: %w", err)
	}
	if server < MinServerVersion {
		return 0, fmt.Errorf("the database server is PostgreSQL %d: version 15 or later is needed", server/10000)
	}
	if err := refuseUnreleased(ctx, db); err != nil {
		return 0, err
	}
	// Asked for every second, as starts of a fleet wait on it.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600), lock.WithUnlockTimeout(1, 60))
	if err != nil {
		return 0, fmt.Errorf("making the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithSessionLocker(locker))
	if err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	applied, err := provider.UpTo(ctx, version)
	if err != nil {
		return len(applied), fmt.Errorf("migrating the schema: %w", err)
	}
	return len(applied), nil
}

// ErrUnreleasedSchema is what a database of a development version is refused with.
var ErrUnreleasedSchema = errors.New("this database was made by a version from before the first release and cannot be upgraded: " +
	"create a new database, migrate it, and import the records and issue the keys there again")

// refuseUnreleased refuses a database that holds migrations from before they were
// put together into the present ones. Their numbers had gaps; the present ones,
// and whatever follows them, have none.
func refuseUnreleased(ctx context.Context, db *sql.DB) error {
	var migrated bool
	if err := db.QueryRowContext(ctx, "SELECT to_regclass('public.goose_db_version') IS NOT NULL").Scan(&migrated); err != nil || !migrated {
		return err
	}
	var gaps bool
	if err := db.QueryRowContext(ctx, `SELECT count(DISTINCT v.version_id) < coalesce(max(v.version_id), 0)
		FROM public.goose_db_version AS v WHERE v.version_id > 0`).Scan(&gaps); err != nil {
		return fmt.Errorf("reading which migrations were applied: %w", err)
	}
	if gaps {
		return ErrUnreleasedSchema
	}
	return nil
}

// parseURL reads a database URL. What is wrong is told without the URL, which
// may hold a password.
func parseURL(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL cannot be read: expected postgres://user:password@host:port/database, or key=value settings")
	}
	config.RuntimeParams["client_encoding"] = clientEncoding
	return config, nil
}
