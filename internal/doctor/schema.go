package doctor

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/sql/migrations"
)

// migrations compares what was applied with what this program brings.
func (e *examination) migrations(ctx context.Context) (Finding, error) {
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return Finding{}, err
	}
	ours := map[int64]bool{}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			ours[n] = true
		}
	}
	var there bool
	if err := e.ask(ctx, "SELECT to_regclass('public.goose_db_version') IS NOT NULL", nil, &there); err != nil {
		return Finding{}, err
	}
	if !there {
		return wrong("Run clientintel migrate.", "there is no schema in this database yet")
	}
	rows, err := e.conn.Query(ctx, "SELECT v.version_id FROM public.goose_db_version AS v WHERE v.version_id > 0 GROUP BY 1 HAVING bool_or(v.is_applied)")
	if err != nil {
		return Finding{}, err
	}
	applied, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return Finding{}, err
	}
	unknown, pending := 0, len(ours)
	for _, n := range applied {
		if ours[n] {
			pending--
		} else {
			unknown++
		}
	}
	// What follows asks for tables that only a whole schema has.
	e.migrated = pending == 0
	switch {
	case pending > 0:
		return wrong("Run clientintel migrate, or start a server, which does.", "%d of %d migrations are not applied", pending, len(ours))
	case unknown > 0:
		return warning("Use the release that migrated it, or a later one.", "%d migrations are not known to this program: the database is ahead of it", unknown)
	}
	return fine("all %d migrations are applied", len(ours))
}

func (e *examination) indexes(ctx context.Context) (Finding, error) {
	broken, err := e.list(ctx, `SELECT format('%I.%I', n.nspname, c.relname)
		FROM pg_index AS x
		JOIN pg_class AS c ON c.oid = x.indexrelid
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND NOT (x.indisvalid AND x.indisready AND x.indislive)
		ORDER BY 1`)
	if err != nil {
		return Finding{}, err
	}
	if len(broken) > 0 {
		return wrong("REINDEX INDEX CONCURRENTLY "+broken[0]+";", "%s not valid, so pages that need it are slow", enumerated(broken, "is", "are"))
	}
	return fine("all indexes are valid")
}

// serverRole is what answers requests: it must be held by row-level security.
func (e *examination) serverRole(ctx context.Context) (Finding, error) {
	var super, bypasses bool
	err := e.ask(ctx, "SELECT r.rolsuper, r.rolbypassrls FROM pg_roles AS r WHERE r.rolname = $1", []any{postgres.ServerRole}, &super, &bypasses)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return wrong("Run clientintel migrate with a login that may create roles.", "the role %s is missing", postgres.ServerRole)
	case err != nil:
		return Finding{}, err
	case super || bypasses:
		return wrong("ALTER ROLE "+postgres.ServerRole+" NOSUPERUSER NOBYPASSRLS;", "%s passes row-level security by", postgres.ServerRole)
	}
	owned, err := e.list(ctx, `SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner
		WHERE r.rolname = $1 AND c.relnamespace = 'public'::regnamespace ORDER BY 1`, postgres.ServerRole)
	if err != nil {
		return Finding{}, err
	}
	if len(owned) > 0 {
		return wrong("ALTER TABLE … OWNER TO the owner's login.", "%s owns %s, and an owner may do anything", postgres.ServerRole, strings.Join(owned, ", "))
	}
	return fine("%s owns nothing and is held by row-level security", postgres.ServerRole)
}

// serverLogin takes the server's role, as the pool does.
func (e *examination) serverLogin(ctx context.Context) (Finding, error) {
	conn, err := connect(ctx, e.database.ServerURL)
	if err != nil {
		return wrong("Is DATABASE_URL right, and may its login connect?", "the server's login does not connect: %s", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var login string
	var super, owns bool
	if err := conn.QueryRow(ctx, `SELECT session_user, r.rolsuper OR r.rolbypassrls,
		EXISTS (SELECT FROM pg_class AS c WHERE c.relowner = r.oid AND c.relnamespace = 'public'::regnamespace)
		FROM pg_roles AS r WHERE r.rolname = session_user`).Scan(&login, &super, &owns); err != nil {
		return Finding{}, err
	}
	if _, err := conn.Exec(ctx, "SET ROLE "+postgres.ServerRole); err != nil {
		return wrong("GRANT "+postgres.ServerRole+" TO "+pgx.Identifier{login}.Sanitize()+";", "%s may not take the role %s: the server cannot start", login, postgres.ServerRole)
	}
	// No client is set, so no client's row may be seen.
	var seen bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM public.clients AS c)").Scan(&seen); err != nil {
		return Finding{}, err
	}
	switch {
	case seen:
		return wrong("Restore row-level security: see docs/security.md.", "as %s, clients are seen that no transaction named", postgres.ServerRole)
	case super || owns:
		return warning("Give the server a login of its own (DATABASE_URL) beside the owner's (DATABASE_OWNER_URL): see docs/deployment.md.",
			"the server's login %s could do more than read and admit", login)
	}
	return fine("%s takes the role, and can do no more", login)
}

// walled are the tables that hold a client's rows.
func (e *examination) rowSecurity(ctx context.Context) (Finding, error) {
	open, err := e.list(ctx, `SELECT t.name
		FROM unnest(ARRAY['campaigns', 'clients', 'interviews', 'lanes', 'measurement_changes', 'measurement_snapshots',
			'measurement_states', 'portal_documents', 'search_documents', 'synthesis_documents']) AS t (name)
		LEFT JOIN pg_class AS c ON c.oid = to_regclass('public.' || t.name)
		WHERE NOT coalesce(c.relrowsecurity AND c.relforcerowsecurity, false)
			OR NOT EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'server_sees_the_transactions_client')
			OR EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid
				AND p.polname NOT IN ('server_sees_the_transactions_client', 'owner_sees_every_client'))
		ORDER BY 1`)
	if err != nil {
		return Finding{}, err
	}
	if len(open) > 0 {
		return wrong("ALTER TABLE … ENABLE ROW LEVEL SECURITY; ALTER TABLE … FORCE ROW LEVEL SECURITY; with the policies of sql/schema.sql and no others.",
			"row-level security does not stand on %s", strings.Join(open, ", "))
	}
	return fine("row-level security stands on every table of a client")
}

// enumerated is "a is" or "a, b are".
func enumerated(names []string, one, several string) string {
	if len(names) == 1 {
		return names[0] + " " + one
	}
	return strings.Join(names, ", ") + " " + several
}
