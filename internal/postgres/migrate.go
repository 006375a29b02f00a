package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// MinServerVersion is the oldest PostgreSQL that the schema works on:
// security-invoker views came with it.
const MinServerVersion = 150000

const (
	// migrationLockTimeout bounds how long a migration waits for a lock, since later
	// queries on the table queue behind it. It is shorter than a server's lock_timeout
	// and than deadlock_timeout: in a conflict with a reader, the migration is cancelled.
	migrationLockTimeout = time.Second / 2
	// migrationPause lets the queries that queued run first.
	migrationPause = time.Second
	// migrationApplication names the session that migrates, in pg_stat_activity.
	migrationApplication = "clientintel migrate"
)

// Migrate brings the schema up to date as the owner, logs what a migration waits for, and
// returns how many it applied. Of several processes that call it at once, one migrates and
// the others wait for it. A migration that does not get its lock is rolled back and tried
// again until ctx ends: waiting behind one long read it would block all others.
func Migrate(ctx context.Context, ownerURL string, files fs.FS, log *slog.Logger) (int, error) {
	config, err := ParseURL(ownerURL)
	if err != nil {
		return 0, err
	}
	settings := slices.Concat(sessionSettings, []setting{
		{"application_name", migrationApplication}, {"lock_timeout", milliseconds(migrationLockTimeout)},
	})
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		return set(ctx, conn, settings)
	}))
	defer db.Close()

	var server int
	var encoding string
	if err := db.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::integer, current_setting('server_encoding')").
		Scan(&server, &encoding); err != nil {
		return 0, fmt.Errorf("connecting to the database: %w", err)
	}
	if server < MinServerVersion {
		return 0, fmt.Errorf("the database server is PostgreSQL %d: version 15 or later is needed", server/10000)
	}
	if encoding != "UTF8" {
		return 0, fmt.Errorf("the database's encoding is %s, and search needs UTF8: "+
			"create the database with ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	before, err := onSimpleConnection(ctx, ownerURL, checkMigratable)
	if err != nil {
		return 0, err
	}
	// The lock is tried every second: servers that start together wait for it.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600), lock.WithUnlockTimeout(1, 60))
	if err != nil {
		return 0, fmt.Errorf("making the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	if before.Version == 0 {
		// Up would create goose's version table before it takes the lock; two at once would
		// leave a differently named sequence.
		if _, err := provider.GetDBVersion(ctx); err != nil {
			return 0, fmt.Errorf("migrating the schema: %w", err)
		}
	}
	total := 0
	for {
		applied, err := provider.Up(ctx)
		if partial, ok := errors.AsType[*goose.PartialError](err); ok {
			applied = partial.Applied
		}
		total += len(applied)
		switch {
		case err == nil:
			return total, nil
		case !isLockConflict(err):
			return total, fmt.Errorf("migrating the schema: %w", err)
		}
		holds := openTransactions(ctx, db)
		log.Warn("a migration waits for a lock and tries again", "held_by", holds)
		select {
		case <-ctx.Done():
			return total, fmt.Errorf("migrating the schema: no lock: it is held by %s: %w", holds, ctx.Err())
		case <-time.After(migrationPause):
		}
	}
}

// checkMigratable reads the schema, and refuses a database on which migrations would fail
// half-way. Another login than the owner's passes where no migration is pending, as a
// server migrates at its start.
func checkMigratable(ctx context.Context, conn *pgx.Conn) (Schema, error) {
	if err := CheckShadowing(ctx, conn); err != nil {
		return Schema{}, err
	}
	notOwner := checkOwner(ctx, conn)
	schema, err := ReadSchema(ctx, conn)
	switch {
	case notOwner != nil && (err != nil || schema.Version < SchemaVersion()):
		return schema, notOwner
	case err != nil:
		return schema, err
	case schema.Version == 0 && !schema.Empty:
		return schema, schema.Check()
	case schema.Version < SchemaVersion():
		return schema, checkRoles(ctx, conn)
	}
	return schema, nil
}

// checkRoles refuses an owner for whom the first migration could not make a missing role.
func checkRoles(ctx context.Context, conn *pgx.Conn) error {
	var missing *string
	if err := conn.QueryRow(ctx, `SELECT string_agg(n.name, ', ')
		FROM unnest(ARRAY['`+ServerRole+`', '`+ImporterRole+`', '`+KeysRole+`', '`+AuditorRole+`']) AS n (name)
		LEFT JOIN pg_roles AS r ON r.rolname = n.name
		WHERE NOT coalesce(pg_has_role(r.oid, 'MEMBER'), false)
			AND NOT (SELECT u.rolsuper OR u.rolcreaterole FROM pg_roles AS u WHERE u.rolname = current_user)`).Scan(&missing); err != nil {
		return fmt.Errorf("looking for the roles: %w", err)
	}
	if missing != nil {
		return fmt.Errorf("the owner %[1]s may not take the roles %[2]s, or they are missing: let an administrator run what 'clientintel migrate --print-roles' prints", conn.Config().User, *missing)
	}
	return nil
}

// isLockConflict reports a lock timeout, a deadlock, or PostgreSQL's "tuple concurrently
// updated", which occurs when two databases of one server change the same role.
func isLockConflict(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == "55P03" || refused.Code == "40P01" ||
		refused.Code == "XX000" && refused.Message == "tuple concurrently updated")
}

// openTransactions names the sessions whose transactions have been open for as long as a
// migration waits for a lock: one of them holds it. Query texts are not read, as they may
// hold a client's data.
func openTransactions(ctx context.Context, db *sql.DB) (named string) {
	const list = `SELECT coalesce(string_agg(format('process %s (%s, %s, in a transaction since %s)', a.pid,
			coalesce(nullif(a.application_name, ''), 'no name'), a.state, to_char(a.xact_start AT TIME ZONE 'UTC', 'HH24:MI:SS')),
			', ' ORDER BY a.xact_start), 'another session')
		FROM pg_stat_activity AS a
		WHERE a.datname = current_database() AND a.xact_start < clock_timestamp() - $1::interval`
	if err := db.QueryRowContext(ctx, list, migrationLockTimeout.String()).Scan(&named); err != nil {
		return "another session"
	}
	return named
}

// ParseURL reads a database URL. Its error does not quote the URL, which may hold a
// password.
func ParseURL(url string) (*pgx.ConnConfig, error) {
	if strings.TrimSpace(url) != url || strings.ContainsAny(url, "\r\n") {
		return nil, errors.New("the database URL has a line break in it, or a blank at an end, such as of the file that it was read from: remove that")
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL cannot be read: expected postgres://user:password@host:port/database, or key=value settings")
	}
	maps.Copy(config.RuntimeParams, connectionSettings)
	return config, nil
}
