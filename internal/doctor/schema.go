package doctor

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
)

// migrations compares what was applied with what this program brings.
func (c *checker) migrations(ctx context.Context) Finding {
	schema, err := postgres.ReadSchema(ctx, c.conn)
	if err != nil {
		return c.fail(err)
	}
	err = schema.Check()
	switch {
	case err == nil:
		return ok("all %d migrations are applied", schema.Version)
	case schema.Version > postgres.SchemaVersion():
		return warning("Use the release that migrated it, or a later one.", "%s", err)
	}
	return wrong("No server serves it like this.", "%s", err)
}

// triggers checks that every trigger fires always, as migrations leave it: a dump that is
// restored with --disable-triggers leaves it in another state.
func (c *checker) triggers(ctx context.Context) Finding {
	query := `SELECT format('%s on %s', m.name, m.relation) FROM measurement_triggers AS m WHERE NOT m.enabled
		UNION
		SELECT format('%s on %s', t.tgname, t.tgrelid::regclass) FROM pg_trigger AS t JOIN pg_class AS r ON r.oid = t.tgrelid
		WHERE r.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal AND t.tgenabled <> 'A' AND t.tgparentid = 0
		ORDER BY 1`
	repair := `in psql: ALTER TABLE … ENABLE TRIGGER ALL; for a foreign key, and for the rest ` +
		`SELECT format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', tgrelid::regclass, tgname) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'A' \gexec`
	distributed, err := postgres.IsDistributed(ctx, c.conn)
	if err != nil {
		return c.fail(err)
	}
	if distributed { // the coordinator's catalog does not show the shards' triggers
		query = "SELECT format('%s on %s', d.shards, d.machine) FROM find_disabled_triggers() AS d"
		repair = "in psql: SELECT enable_shard_triggers();"
	}
	if off := c.names(ctx, query); len(off) > 0 {
		return wrong(repair+" and then clientintel measurement rebuild --all.", "a trigger is off or missing: %s", shorten(off))
	}
	return ok("every trigger fires always")
}

// serverLogin checks that the server's login can take the server's role, as the pool does,
// that a pooler in between is set up for it, and that the role may admit requests and do no
// more than read.
func (c *checker) serverLogin(ctx context.Context) Finding {
	conn, err := connect(ctx, c.database.ServerURL, prepares)
	if err != nil {
		return wrong("Is DATABASE_URL right, and may its login connect?", "the server's login does not connect: %s", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	pooled, err := postgres.CheckPooler(ctx, conn)
	if err != nil {
		return wrong("Change that: the server does not start like this.", "%s", err)
	}
	// A pooler keeps together what is in one transaction.
	tx, err := conn.Begin(ctx)
	if err != nil {
		return c.fail(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	login := pgx.Identifier{conn.Config().User}.Sanitize()
	if _, err := tx.Exec(ctx, "SET LOCAL ROLE "+postgres.ServerRole); err != nil {
		return wrong("GRANT "+postgres.ServerRole+" TO "+login+";", "%s may not take the role %s: the server cannot start", login, postgres.ServerRole)
	}
	var passes, owner, admits, seen bool
	var written string
	// The transaction names no client, so no client's row may be visible.
	if err := tx.QueryRow(ctx, `SELECT r.rolsuper OR r.rolbypassrls, l.rolsuper OR l.rolbypassrls OR pg_has_role(l.oid, c.relowner, 'USAGE'),
			EXISTS (SELECT FROM pg_proc AS p WHERE p.pronamespace = c.relnamespace AND p.proname = 'admit' AND has_function_privilege(p.oid, 'EXECUTE')),
			coalesce((SELECT string_agg(t.oid::regclass::text, ', ') FROM pg_class AS t WHERE t.relnamespace = c.relnamespace AND t.relkind IN ('r', 'p', 'v')
				AND has_table_privilege(t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')), ''),
			EXISTS (SELECT FROM public.clients)
		FROM pg_roles AS r, pg_roles AS l, pg_class AS c
		WHERE r.rolname = current_user AND l.rolname = session_user AND c.oid = 'public.clients'::regclass`,
		pgx.QueryExecModeSimpleProtocol).Scan(&passes, &owner, &admits, &written, &seen); err != nil {
		return c.fail(err)
	}
	switch {
	case passes:
		return wrong("ALTER ROLE "+postgres.ServerRole+" NOSUPERUSER NOBYPASSRLS;", "%s passes row-level security by", postgres.ServerRole)
	case !admits:
		return wrong("GRANT EXECUTE ON FUNCTION admit TO "+postgres.ServerRole+";", "%s may not admit requests", postgres.ServerRole)
	case written != "":
		return wrong("REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON "+written+" FROM "+postgres.ServerRole+"; and ALTER TABLE … OWNER TO the owner, where it owns one.",
			"%s may change tables", postgres.ServerRole)
	case seen:
		return wrong("Restore a backup: somebody changed row-level security.", "as %s, clients are seen that no transaction named", postgres.ServerRole)
	case owner:
		return warning("Give the server a login of its own (DATABASE_URL) beside the owner's (DATABASE_OWNER_URL).", "the server's login %s could do more than read and admit", login)
	case pooled:
		return ok("%s takes the role, and can do no more; a pooler is in between, and set up for it", login)
	}
	return ok("%s takes the role, and can do no more", login)
}

// publicSchema checks that nobody can put functions in the place of PostgreSQL's.
func (c *checker) publicSchema(ctx context.Context) Finding {
	if err := postgres.CheckShadowing(ctx, c.conn); err != nil {
		return wrong("No server starts and no command works like this.", "%s", err)
	}
	return ok("only the owner creates in the schema public")
}

// clients checks the states that canonical clients' numbers are proven with.
func (c *checker) clients(ctx context.Context) Finding {
	if err := postgres.CheckSeesClients(ctx, c.conn); err != nil {
		return wrong("Restore with the role that owned it.", "%s", err)
	}
	refused := c.names(ctx, `SELECT format('%s (%s)', c.slug, CASE
			WHEN s.client_id IS NULL THEN 'its state is missing'
			WHEN s.broken_at IS NOT NULL THEN 'marked broken: ' || s.broken_reason
			ELSE format('contract version %L is not known to this program', c.measurement_contract_version) END)
		FROM clients AS c
		LEFT JOIN measurement_states AS s ON s.client_id = c.id
		WHERE c.measurement_mode = 'canonical'
			AND (s.client_id IS NULL OR s.broken_at IS NOT NULL OR c.measurement_contract_version IS DISTINCT FROM $1)
		ORDER BY c.slug`, measurement.ContractVersion)
	if len(refused) > 0 {
		return wrong("Run clientintel measurement rebuild --all; for an unknown version, use the release that knows it.", "answered with 503: %s", shorten(refused))
	}
	return ok("no canonical client is refused")
}

// futureRequests looks for log rows dated in the future, which a clock that was ahead
// left behind.
func (c *checker) futureRequests(ctx context.Context) Finding {
	var rows, keys int64
	if err := c.conn.QueryRow(ctx, `SELECT count(*), count(DISTINCT l.key_id) FROM request_log AS l
		WHERE l.at > statement_timestamp() + interval '1 second'`).Scan(&rows, &keys); err != nil {
		return c.fail(err)
	}
	if rows > 0 {
		return warning("Run clientintel keys list, which names them, and clientintel keys mend-window --all; keep the database's clock with NTP.",
			"%d rows of the log of requests are dated in the future, of %d keys: their windows do not advance until then", rows, keys)
	}
	return ok("no row is dated in the future")
}
