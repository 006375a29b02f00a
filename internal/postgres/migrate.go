package postgres

import (
	"context"
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
	config, err := parseURL(ownerURL)
	if err != nil {
		return 0, err
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()

	var version int
	if err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::integer`).Scan(&version); err != nil {
		return 0, fmt.Errorf("connecting to the database: %w", err)
	}
	if version < MinServerVersion {
		return 0, fmt.Errorf("the database server is PostgreSQL %d: version 15 or later is needed", version/10000)
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
	applied, err := provider.Up(ctx)
	if err != nil {
		return len(applied), fmt.Errorf("migrating the schema: %w", err)
	}
	return len(applied), nil
}

// parseURL reads a database URL. What is wrong is told without the URL, which
// may hold a password.
func parseURL(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL cannot be read: expected postgres://user:password@host:port/database, or key=value settings")
	}
	return config, nil
}
