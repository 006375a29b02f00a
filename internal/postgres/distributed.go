package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/sql/distributed"
)

// IsDistributed reports whether tables are distributed over workers by client.
func IsDistributed(ctx context.Context, q Querier) (bool, error) {
	var is bool
	// Through a pooler a named statement may not outlive its transaction.
	err := q.QueryRow(ctx, "SELECT to_regprocedure('public.take_client(uuid, text)') IS NOT NULL", pgx.QueryExecModeSimpleProtocol).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("asking whether tables are distributed: %w", err)
	}
	return is, nil
}

// Distribute distributes the tables of a migrated, empty database over its server's
// workers, and returns their number. On a distributed database it restores what migrations
// replaced. It retries while tables are locked.
func Distribute(ctx context.Context, ownerURL string, log *slog.Logger) (int, error) {
	conn, err := ConnectOwner(ctx, ownerURL)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	due, err := distributionIsDue(ctx, conn)
	if err != nil {
		return 0, err
	}
	// What a migration just replaced is not damage.
	var damaged error
	if !due {
		damaged = checkUndamaged(ctx, conn)
	}
	return distributeWhenFree(ctx, conn, damaged, log)
}

// distributeWhenFree retries until it gets its locks.
func distributeWhenFree(ctx context.Context, conn *pgx.Conn, damaged error, log *slog.Logger) (workers int, err error) {
	for {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			workers, err = distribute(ctx, tx, damaged)
			return err
		})
		if err == nil || !isLockConflict(err) {
			return workers, err
		}
		log.Warn("distributing waits for a lock and tries again")
		select {
		case <-ctx.Done():
			return 0, err
		case <-time.After(migrationPause):
		}
	}
}

// DistributionIsDue reports whether a distributed database has this release's schema and
// was not distributed by this release since. Any login may find that out.
func DistributionIsDue(ctx context.Context, url string) (bool, error) {
	return onSimpleConnection(ctx, url, distributionIsDue)
}

func distributionIsDue(ctx context.Context, conn *pgx.Conn) (bool, error) {
	done, err := IsDistributed(ctx, conn)
	if err != nil || !done {
		return false, err
	}
	schema, err := ReadSchema(ctx, conn)
	if err != nil || schema.Check() != nil {
		return false, err
	}
	var version string
	// The comment is written in the transaction that distributes.
	err = conn.QueryRow(ctx, "SELECT coalesce(obj_description(to_regclass('public.distributed_objects'), 'pg_class'), '')").Scan(&version)
	if err != nil {
		return false, fmt.Errorf("asking what distributed the tables: %w", err)
	}
	return version != distributedFor(schema), nil
}

// distributedFor identifies what distributed a database: the schema's version, and a hash
// of the SQL, which a release may change without a migration.
func distributedFor(schema Schema) string {
	return fmt.Sprintf("%d %x", schema.Version, sha256.Sum256([]byte(distributed.Distribute+db.WorkerFunctions)))
}

// distribute returns damaged, unless nil, instead of distributing.
func distribute(ctx context.Context, tx pgx.Tx, damaged error) (int, error) {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('clientintel distribute', 0))"); err != nil {
		return 0, fmt.Errorf("waiting for another process that distributes: %w", err)
	}
	if _, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', $1, true)", milliseconds(migrationLockTimeout)); err != nil {
		return 0, fmt.Errorf("bounding the wait for locks: %w", err)
	}
	done, err := IsDistributed(ctx, tx)
	if err != nil {
		return 0, err
	}
	workers, err := checkDistributable(ctx, tx, done)
	if err != nil {
		return 0, err
	}
	schema, err := ReadSchema(ctx, tx)
	if err = cmp.Or(err, schema.Check(), damaged); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, distributed.Distribute, pgx.QueryExecModeSimpleProtocol); err != nil {
		return 0, fmt.Errorf("distributing the tables: %w", err)
	}
	if _, err := tx.Exec(ctx, db.WorkerFunctions, pgx.QueryExecModeSimpleProtocol); err != nil {
		return 0, fmt.Errorf("creating the workers' functions: %w", err)
	}
	objects, err := readObjects(ctx, tx)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf("DELETE FROM distributed_objects; COMMENT ON TABLE distributed_objects IS '%s'", distributedFor(schema)),
		pgx.QueryExecModeSimpleProtocol); err != nil {
		return 0, fmt.Errorf("noting what the schema holds: %w", err)
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"distributed_objects"}, []string{"rank", "kind", "name", "hash", "repair"},
		pgx.CopyFromSlice(len(objects), func(i int) ([]any, error) {
			o := objects[i]
			return []any{i, o.Kind, o.Name, o.Hash, o.Repair}, nil
		}))
	return workers, err
}

// checkDistributable refuses a database that cannot be distributed, and counts the
// workers.
func checkDistributable(ctx context.Context, tx pgx.Tx, done bool) (int, error) {
	var installed, bypasses bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_extension AS e WHERE e.extname = 'citus'),
		(SELECT r.rolsuper OR r.rolbypassrls FROM pg_roles AS r WHERE r.rolname = current_user)`).Scan(&installed, &bypasses); err != nil {
		return 0, fmt.Errorf("looking for Citus: %w", err)
	}
	switch {
	case !installed:
		return 0, errors.New("the extension citus is not in this database: an administrator prepares the machines first, see docs/deployment.md")
	case !bypasses:
		return 0, errors.New("the owner's login needs BYPASSRLS, as Citus imports by COPY: an administrator runs ALTER ROLE … BYPASSRLS on the coordinator")
	}
	var workers int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM pg_dist_node AS n WHERE n.noderole = 'primary' AND n.isactive AND n.shouldhaveshards").Scan(&workers); err != nil {
		return 0, fmt.Errorf("counting the workers: %w", err)
	}
	if workers == 0 {
		return 0, errors.New("the coordinator knows no worker: an administrator runs SELECT citus_add_node('host', port) for each, see docs/deployment.md")
	}
	if done {
		return workers, nil
	}
	var occupied bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM clients) OR EXISTS (SELECT 1 FROM interviews) OR EXISTS (SELECT 1 FROM record_owners)
		OR EXISTS (SELECT 1 FROM api_keys AS k WHERE k.prefix <> '')`).Scan(&occupied); err != nil {
		return 0, fmt.Errorf("looking for records: %w", err)
	}
	if occupied { // triggers would count the records again while they are copied
		return 0, errors.New("this database holds records, and only an empty one can be distributed: distribute a new database, then move each client: " +
			"'clientintel clients export CLIENT --with-keys' here, 'clientintel import --with-keys FILE' there; keys go on working")
	}
	return workers, nil
}

// checkWorkerFunctions refuses a database that another release distributed.
func checkWorkerFunctions(ctx context.Context, q Querier) error {
	var missing int
	// Through a pooler a named statement may not outlive its transaction.
	err := q.QueryRow(ctx, "SELECT count(*) FROM unnest(string_to_array($1, ' ')) AS n (name) WHERE NOT EXISTS (SELECT 1 FROM pg_proc AS p "+
		"WHERE p.pronamespace = 'public'::regnamespace AND p.proname = n.name)", pgx.QueryExecModeSimpleProtocol, db.WorkerFunctionNames).Scan(&missing)
	if err != nil {
		return fmt.Errorf("looking for the functions of distributed tables: %w", err)
	}
	if missing > 0 {
		return errors.New("another release distributed this database: run this release's clientintel migrate")
	}
	return nil
}

// findShardDamage names the shards whose triggers are not enabled.
func findShardDamage(ctx context.Context, conn *pgx.Conn) ([]Object, error) {
	rows, _ := conn.Query(ctx, `SELECT 'triggers', format('beside %s on %s', d.shards, d.machine), '', 'SELECT enable_shard_triggers()'
		FROM find_disabled_triggers() AS d`) // CollectRows returns its error
	damage, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Object])
	if err != nil {
		return nil, fmt.Errorf("examining the shards' triggers: %w", err)
	}
	return damage, nil
}
