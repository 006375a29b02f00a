package importer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

// defaultMaxWait is how long an erasure, a purge or a release waits.
const defaultMaxWait = 10 * time.Minute

// alone is transact for work on one client, beside no import of it, which is waited for and
// told.
func alone(ctx context.Context, conn *pgx.Conn, done, command string, client uuid.UUID, tell func(string), do func(pgx.Tx, *db.Queries) error) error {
	return transact(ctx, conn, done, command, func(tx pgx.Tx) error {
		if err := lockClients(ctx, tx, []uuid.UUID{client}, defaultMaxWait, tell); err != nil {
			return err
		}
		return do(tx, db.New(tx))
	})
}

// lockClients waits for other imports and purges of the clients, at most for a time unless
// that is 0: two at once would each decide by what the other is about to change. Whom it
// waits for is told.
func lockClients(ctx context.Context, tx pgx.Tx, clients []uuid.UUID, most time.Duration, tell func(string)) error {
	queries := db.New(tx)
	if err := queries.SetLockTimeout(ctx, fmt.Sprint(most.Milliseconds())); err != nil {
		return err
	}
	taken, err := queries.TryLockClients(ctx, clients)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	holder := findHolder(ctx, tx, taken)
	if tell != nil {
		tell("waiting for " + holder)
	}
	err = queries.LockClients(ctx, clients)
	if postgres.SQLState(err) == "55P03" { // lock_not_available
		return fmt.Errorf("waiting for other imports: waited %s for %s", most, holder)
	}
	return err
}

// findHolder describes the session that holds a lock. sqlc does not know pg_locks.
func findHolder(ctx context.Context, tx pgx.Tx, key int64) string {
	var name, session string
	err := tx.QueryRow(ctx, `SELECT coalesce(a.application_name, ''), format('process %s of %s (%s), at work since %s',
			a.pid, a.usename, coalesce(host(a.client_addr), 'local'), to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
		FROM pg_locks AS l
		JOIN pg_stat_activity AS a ON a.pid = l.pid
		WHERE l.locktype = 'advisory'
			AND l.granted
			AND l.objsubid = 1
			AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
			AND (l.classid::bigint << 32) | l.objid::bigint = $1`, key).Scan(&name, &session)
	if err != nil {
		return "another import of the same clients"
	}
	return strings.TrimSpace(shorten(name)) + ", " + session
}
