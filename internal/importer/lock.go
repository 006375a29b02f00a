package importer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
)

// lockKeysOf are the locks of clients, in one order. Many clients share a lock, as the
// database has room for a bounded number.
const lockKeysOf = `SELECT DISTINCT hashtextextended('clientintel import', get_byte(uuid_send(c.id), 15)) AS key
	FROM unnest($1::uuid[]) AS c (id)
	ORDER BY key`

// defaultMaxWait is how long an erasure, a purge or a release waits.
const defaultMaxWait = 10 * time.Minute

// lockClients waits for other imports and purges of the clients, at most for a time unless
// that is 0: two at once would each decide by what the other is about to change. Whom it
// waits for is told.
func lockClients(ctx context.Context, tx pgx.Tx, clients []uuid.UUID, most time.Duration, tell func(string)) error {
	if _, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', $1, true)", fmt.Sprint(most.Milliseconds())); err != nil {
		return err
	}
	var taken int64
	err := tx.QueryRow(ctx, "SELECT l.key FROM ("+lockKeysOf+") AS l WHERE NOT pg_try_advisory_xact_lock(l.key) LIMIT 1", clients).Scan(&taken)
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
	_, err = tx.Exec(ctx, "SELECT pg_advisory_xact_lock(l.key) FROM ("+lockKeysOf+") AS l", clients)
	if postgres.SQLState(err) == "55P03" { // lock_not_available
		return fmt.Errorf("waited %s for %s", most, holder)
	}
	return err
}

// findHolder describes the session that holds a lock.
func findHolder(ctx context.Context, tx pgx.Tx, key int64) string {
	var pid int
	var name, login, address string
	var since time.Time
	err := tx.QueryRow(ctx, `SELECT a.pid, coalesce(a.application_name, ''), coalesce(a.usename::text, ''), coalesce(host(a.client_addr), 'local'), coalesce(a.xact_start, now())
		FROM pg_locks AS l
		JOIN pg_stat_activity AS a ON a.pid = l.pid
		WHERE l.locktype = 'advisory'
			AND l.granted
			AND l.objsubid = 1
			AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
			AND (l.classid::bigint << 32) | l.objid::bigint = $1`, key).Scan(&pid, &name, &login, &address, &since)
	if err != nil {
		return "another import of the same clients"
	}
	return fmt.Sprintf("%s, process %d of %s (%s), at work since %s", strings.TrimSpace(shorten(name)), pid, login, address, since.UTC().Format(time.RFC3339))
}
