package doctor

import (
	"context"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/sql/migrations"
)

// migrations compares what was applied with what this program brings.
func (c *checker) migrations(ctx context.Context) Finding {
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return c.fail(err)
	}
	ours := map[int64]bool{}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			ours[n] = true
		}
	}
	var there bool
	c.queryRow(ctx, "SELECT to_regclass('public.goose_db_version') IS NOT NULL", nil, &there)
	if !there {
		return wrong("Run clientintel migrate.", "there is no schema in this database yet")
	}
	applied := queryColumn[int64](ctx, c,
		"SELECT v.version_id FROM public.goose_db_version AS v WHERE v.version_id > 0 GROUP BY 1 HAVING bool_or(v.is_applied)")
	unknown, pending, latest := 0, len(ours), int64(0)
	for _, n := range applied {
		latest = max(latest, n)
		if ours[n] {
			pending--
		} else {
			unknown++
		}
	}
	// The checks after this one query tables of a complete schema.
	c.migrated = pending == 0
	switch {
	case latest > int64(len(applied)):
		return wrong("Create a new database.", "%s", postgres.ErrUnreleasedSchema)
	case pending > 0:
		return wrong("Run clientintel migrate.", "%d of %d migrations are not applied", pending, len(ours))
	case unknown > 0:
		return warning("Use the release that migrated it, or a later one.", "%d migrations are not known to this program: the database is ahead of it", unknown)
	}
	return ok("all %d migrations are applied", len(ours))
}

func (c *checker) indexes(ctx context.Context) Finding {
	broken := queryColumn[string](ctx, c, `SELECT format('%I.%I', n.nspname, c.relname)
		FROM pg_index AS x
		JOIN pg_class AS c ON c.oid = x.indexrelid
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND NOT (x.indisvalid AND x.indisready AND x.indislive)
		ORDER BY 1`)
	if len(broken) > 0 {
		return wrong("REINDEX INDEX CONCURRENTLY "+broken[0]+";", "%s not valid, so pages that need it are slow", enumerate(broken, "is", "are"))
	}
	return ok("all indexes are valid")
}

// serverRole checks that row-level security binds the role that reads for requests.
func (c *checker) serverRole(ctx context.Context) Finding {
	var exists, bypasses bool
	c.queryRow(ctx, "SELECT count(*) > 0, coalesce(bool_or(r.rolsuper OR r.rolbypassrls), false) FROM pg_roles AS r WHERE r.rolname = $1",
		[]any{postgres.ServerRole}, &exists, &bypasses)
	switch {
	case !exists:
		return wrong("Run clientintel migrate with a login that may create roles.", "the role %s is missing", postgres.ServerRole)
	case bypasses:
		return wrong("ALTER ROLE "+postgres.ServerRole+" NOSUPERUSER NOBYPASSRLS;", "%s passes row-level security by", postgres.ServerRole)
	}
	owned := queryColumn[string](ctx, c, `SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner
		WHERE r.rolname = $1 AND c.relnamespace = 'public'::regnamespace ORDER BY 1`, postgres.ServerRole)
	if len(owned) > 0 {
		return wrong("ALTER TABLE … OWNER TO the owner's login.", "%s owns %s, and an owner may do anything", postgres.ServerRole, strings.Join(owned, ", "))
	}
	return ok("%s owns nothing and is held by row-level security", postgres.ServerRole)
}

// serverLogin checks that the server's login can take the role, as the pool does.
func (c *checker) serverLogin(ctx context.Context) Finding {
	conn, err := connect(ctx, c.database.ServerURL)
	if err != nil {
		return wrong("Is DATABASE_URL right, and may its login connect?", "the server's login does not connect: %s", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var login string
	var super, owns bool
	if err := conn.QueryRow(ctx, `SELECT session_user, r.rolsuper OR r.rolbypassrls,
		EXISTS (SELECT FROM pg_class AS c WHERE c.relowner = r.oid AND c.relnamespace = 'public'::regnamespace)
		FROM pg_roles AS r WHERE r.rolname = session_user`).Scan(&login, &super, &owns); err != nil {
		return c.fail(err)
	}
	if _, err := conn.Exec(ctx, "SET ROLE "+postgres.ServerRole); err != nil {
		return wrong("GRANT "+postgres.ServerRole+" TO "+pgx.Identifier{login}.Sanitize()+";", "%s may not take the role %s: the server cannot start", login, postgres.ServerRole)
	}
	// The transaction names no client, so no client's row may be visible.
	var seen bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM public.clients AS c)").Scan(&seen); err != nil {
		return c.fail(err)
	}
	switch {
	case seen:
		return wrong("Restore row-level security: see docs/security.md.", "as %s, clients are seen that no transaction named", postgres.ServerRole)
	case super || owns:
		return warning("Give the server a login of its own (DATABASE_URL) beside the owner's (DATABASE_OWNER_URL): see docs/deployment.md.",
			"the server's login %s could do more than read and admit", login)
	}
	return ok("%s takes the role, and can do no more", login)
}

// rowSecurity checks each table that holds rows of a client.
func (c *checker) rowSecurity(ctx context.Context) Finding {
	open := queryColumn[string](ctx, c, `SELECT t.name
		FROM unnest(ARRAY['campaigns', 'clients', 'interviews', 'lanes', 'measurement_changes', 'measurement_snapshots',
			'measurement_states', 'portal_documents', 'search_documents', 'synthesis_documents']) AS t (name)
		LEFT JOIN pg_class AS c ON c.oid = to_regclass('public.' || t.name)
		WHERE NOT coalesce(c.relrowsecurity AND c.relforcerowsecurity, false)
			OR NOT EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'server_reads_current_client')
			OR EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid
				AND p.polname NOT IN ('server_reads_current_client', 'owner_accesses_every_client'))
		ORDER BY 1`)
	if len(open) > 0 {
		return wrong("ALTER TABLE … ENABLE ROW LEVEL SECURITY; ALTER TABLE … FORCE ROW LEVEL SECURITY; with the policies of sql/schema.sql and no others.",
			"row-level security does not stand on %s", strings.Join(open, ", "))
	}
	return ok("row-level security stands on every table of a client")
}

// enumerate is "a is" or "a, b are".
func enumerate(names []string, one, several string) string {
	if len(names) == 1 {
		return names[0] + " " + one
	}
	return strings.Join(names, ", ") + " " + several
}
