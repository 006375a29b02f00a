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
	err := q.QueryRow(ctx, "SELECT to_regprocedure('public.find_disabled_triggers()') IS NOT NULL", pgx.QueryExecModeSimpleProtocol).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("asking whether tables are distributed: %w", err)
	}
	return is, nil
}

// Distribute distributes the tables of a migrated, empty database over its server's
// workers, and returns their number. On a distributed database it restores what migrations
// replaced. It retries while tables are locked.
func Distribute(ctx context.Context, ownerURL string, log *slog.Logger) (workers int, err error) {
	conn, err := ConnectAs(ctx, ownerURL)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			workers, err = distribute(ctx, tx)
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
	return onSimpleConnection(ctx, url, func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		done, err := IsDistributed(ctx, conn)
		if err != nil || !done {
			return false, err
		}
		schema, err := ReadSchema(ctx, conn)
		if err != nil || schema.Check() != nil {
			return false, err
		}
		var by string
		err = conn.QueryRow(ctx, "SELECT coalesce(obj_description('public.find_disabled_triggers()'::regprocedure, 'pg_proc'), '')").Scan(&by)
		return by != distributedBy(schema), err
	})
}

// distributedBy identifies what distributed a database: the schema's version, and a hash of
// the SQL, which a release may change without a migration.
func distributedBy(schema Schema) string {
	return fmt.Sprintf("%d %x", schema.Version, sha256.Sum256([]byte(distributed.Distribute)))
}

func distribute(ctx context.Context, tx pgx.Tx) (workers int, err error) {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('clientintel distribute', 0)), set_config('lock_timeout', $1, true)",
		milliseconds(migrationLockTimeout)); err != nil {
		return 0, fmt.Errorf("waiting for another process that distributes: %w", err)
	}
	if workers, err = checkDistributable(ctx, tx); err != nil {
		return 0, err
	}
	schema, err := ReadSchema(ctx, tx)
	if err = cmp.Or(err, schema.Check()); err != nil {
		return 0, err
	}
	made := distributed.Distribute + fmt.Sprintf("COMMENT ON FUNCTION find_disabled_triggers IS '%s';", distributedBy(schema))
	if _, err := tx.Exec(ctx, made, pgx.QueryExecModeSimpleProtocol); err != nil {
		return 0, fmt.Errorf("distributing the tables: %w", err)
	}
	return workers, nil
}

// checkDistributable refuses a database that cannot be distributed, and counts the workers.
func checkDistributable(ctx context.Context, tx pgx.Tx) (workers int, err error) {
	var installed, bypasses, occupied bool
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
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM pg_dist_node AS n WHERE n.noderole = 'primary' AND n.isactive AND n.shouldhaveshards").Scan(&workers); err != nil {
		return 0, fmt.Errorf("counting the workers: %w", err)
	}
	if workers == 0 {
		return 0, errors.New("the coordinator knows no worker: an administrator runs SELECT citus_add_node('host', port) for each, see docs/deployment.md")
	}
	done, err := IsDistributed(ctx, tx)
	if err != nil || done {
		return workers, err
	}
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

// distributedQueries replace the queries that call functions which run as the owner: Citus
// would give them another connection and snapshot. They have the same parameters and columns.
var distributedQueries = map[string]string{
	db.ListNewestSearchHits: "SELECT * FROM list_search_hits($2::uuid, $3::text, $1::text, $4::integer, $5::bigint, false)",
	db.ListSearchHits:       "SELECT * FROM list_search_hits($2::uuid, $3::text, $1::text, $4::integer, NULL, true)",
}

// text is what a query is on this pool's tables.
func (p *Pool) text(sql string) string {
	if !p.distributed.Load() {
		return sql
	}
	return cmp.Or(distributedQueries[sql], sql)
}
