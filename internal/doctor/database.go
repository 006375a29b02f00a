package doctor

import (
	"context"
	"time"
)

func (c *checker) server(ctx context.Context) Finding {
	var version string
	var recovering bool
	if err := c.conn.QueryRow(ctx, "SELECT current_setting('server_version'), pg_is_in_recovery()").Scan(&version, &recovering); err != nil {
		return c.fail(err)
	}
	if recovering {
		return wrong("Name the primary in DATABASE_URL and DATABASE_OWNER_URL.", "this is a standby: requests cannot be counted here")
	}
	off := c.names(ctx, `SELECT s.name FROM pg_settings AS s
		WHERE s.name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND s.setting = 'off' ORDER BY 1`)
	if len(off) > 0 {
		return wrong("ALTER SYSTEM RESET "+off[0]+"; SELECT pg_reload_conf(); or ALTER DATABASE … RESET, ALTER ROLE … RESET, where it is set.",
			"switched off: %s: a crash can lose imports, and give keys requests back", shorten(off))
	}
	return ok("PostgreSQL %s answers", version)
}

// archive looks for what keeps WAL until the disk is full.
func (c *checker) archive(ctx context.Context) Finding {
	keeping := c.names(ctx, `SELECT 'archive_command, which fails' FROM pg_stat_archiver AS a
		WHERE coalesce(a.last_failed_time > a.last_archived_time, a.failed_count > 0)
		UNION ALL
		SELECT format('replication slot %s, which nobody reads', s.slot_name) FROM pg_replication_slots AS s
		WHERE NOT s.active OR s.wal_status IN ('unreserved', 'lost')`)
	if len(keeping) > 0 {
		return warning("Run the archive_command by hand on the database's machine, whose log has its error; start the slot's standby, or SELECT pg_drop_replication_slot(name);",
			"WAL is kept until the disk is full by %s", shorten(keeping))
	}
	return ok("archiving and replication slots keep up")
}

// transactions of other roles are seen only by members of pg_read_all_stats.
func (c *checker) transactions(ctx context.Context) Finding {
	old := c.names(ctx, `SELECT format('process %s (%s, since %s)', a.pid, coalesce(nullif(a.application_name, ''), a.usename), a.xact_start)
		FROM pg_stat_activity AS a
		WHERE a.xact_start < now() - interval '1 hour' AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
		UNION ALL
		SELECT format('prepared transaction %L', p.gid) FROM pg_prepared_xacts AS p WHERE p.prepared < now() - interval '1 hour'`)
	if len(old) > 0 {
		return warning("SELECT pg_terminate_backend(process); or ROLLBACK PREPARED: while it is open, VACUUM removes nothing and migrations wait.",
			"open for more than an hour: %s", shorten(old))
	}
	return ok("no transaction is open for more than an hour")
}

// standby checks the standby that servers read from.
func (c *checker) standby(ctx context.Context) Finding {
	const advice = "Is CLIENTINTEL_REPLICA_URL right, and does replication run? Until then requests that read are answered with 503."
	conn, err := connect(ctx, c.database.ReplicaURL, exec)
	if err != nil {
		return warning(advice, "the standby does not answer: %s", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// If nothing is written, the last commit is old although the standby is not behind.
	var written string
	if err := c.conn.QueryRow(ctx, "SELECT pg_current_wal_insert_lsn()::text").Scan(&written); err != nil {
		return c.fail(err)
	}
	var recovering bool
	var behind *time.Duration
	if err := conn.QueryRow(ctx, `SELECT pg_is_in_recovery(), CASE WHEN pg_last_wal_replay_lsn() >= $1::text::pg_lsn THEN interval '0'
		ELSE clock_timestamp() - pg_last_xact_replay_timestamp() END`, written).Scan(&recovering, &behind); err != nil {
		return c.fail(err)
	}
	switch {
	case !recovering:
		return warning(advice, "the standby is a primary: was it promoted?")
	case behind == nil:
		return warning(advice, "the standby has replayed nothing yet")
	case *behind > c.database.MaxLag:
		return warning(advice, "the standby's last commit is %s old, and %s are allowed", behind.Round(time.Second), c.database.MaxLag)
	}
	return ok("the standby is within %s of the primary", behind.Round(time.Millisecond))
}
