package doctor

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
)

// migrations compares what was applied with what this program brings.
func (c *checker) migrations(ctx context.Context) Finding {
	schema, err := postgres.ReadSchema(ctx, c.conn)
	if err != nil {
		return c.fail(err)
	}
	err = schema.Check()
	// The checks after this one query tables of a complete schema.
	c.newer = schema.Version > postgres.SchemaVersion()
	c.migrated = err == nil || c.newer
	switch {
	case err == nil:
		return ok("all %d migrations are applied", schema.Version)
	case c.newer:
		return warning("Use the release that migrated it, or a later one.", "%s", err)
	}
	return wrong("No server serves it like this.", "%s", err)
}

// objects compares functions, views, policies, triggers, constraints, indexes and grants
// with what the migrations make.
func (c *checker) objects(ctx context.Context) Finding {
	damage, err := postgres.FindDamage(ctx, c.conn)
	if err != nil {
		return c.fail(err)
	}
	names, lost := make([]string, 0, len(damage)), false
	for _, o := range damage {
		names, lost = append(names, o.String()), lost || o.Repair == ""
	}
	switch {
	case c.newer && len(names) > 0:
		return warning("Run doctor of the release that migrated it, which tells damage from what that release changed.",
			"not as this release's migrations make them: %s", shorten(names))
	case lost:
		return wrong("Restore the column from a backup: see docs/deployment.md.", "missing or not as migrations make them: %s", shorten(names))
	case len(names) > 0:
		return wrong("Run clientintel measurement rebuild --all, which makes them anew and then counts anew.",
			"missing or not as migrations make them: %s", shorten(names))
	}
	return ok("functions, policies, triggers, constraints, indexes and grants are as migrations make them")
}

// rows checks the rows that migrations insert and requests need.
func (c *checker) rows(ctx context.Context) Finding {
	var decoy, secret bool
	c.queryRow(ctx, `SELECT EXISTS (SELECT 1 FROM api_keys AS k WHERE k.prefix = ''), EXISTS (SELECT 1 FROM server_secrets AS s WHERE s.name = 'cursor')`,
		nil, &decoy, &secret)
	var missing []string
	if !decoy {
		missing = append(missing, "the key that unknown prefixes are checked against")
	}
	if !secret {
		missing = append(missing, "the cursor secret")
	}
	if len(missing) > 0 {
		return wrong("Run clientintel measurement rebuild --all, which makes them anew; cursors from before end.", "missing: %s", strings.Join(missing, ", "))
	}
	return ok("the decoy key and the cursor secret are there")
}

// shownNames bounds what one line of a finding names.
const shownNames = 6

// shorten names the first, and how many more there are.
func shorten(names []string) string {
	if more := len(names) - shownNames; more > 0 {
		return strings.Join(names[:shownNames], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
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
	owned := c.queryNames(ctx, `SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner
		WHERE r.rolname = $1 AND c.relnamespace = 'public'::regnamespace ORDER BY 1`, postgres.ServerRole)
	if len(owned) > 0 {
		return wrong("ALTER TABLE … OWNER TO the owner's login.", "%s owns %s, and an owner may do anything", postgres.ServerRole, shorten(owned))
	}
	return ok("%s owns nothing and is held by row-level security", postgres.ServerRole)
}

// serverLogin checks that the server's login can take the role, as the pool does,
// and that a pooler in between is set up for it.
func (c *checker) serverLogin(ctx context.Context) Finding {
	config, err := postgres.ParseURL(c.database.ServerURL)
	if err != nil {
		return c.fail(err)
	}
	conn, err := connectAs(ctx, config) // with the statements that the server prepares
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
	var login string
	var super, owns bool
	if err := tx.QueryRow(ctx, `SELECT session_user, r.rolsuper OR r.rolbypassrls,
		EXISTS (SELECT 1 FROM pg_class AS c WHERE c.relowner = r.oid AND c.relnamespace = 'public'::regnamespace)
		FROM pg_roles AS r WHERE r.rolname = session_user`, pgx.QueryExecModeSimpleProtocol).Scan(&login, &super, &owns); err != nil {
		return c.fail(err)
	}
	if _, err := tx.Exec(ctx, "SET LOCAL ROLE "+postgres.ServerRole); err != nil {
		return wrong("GRANT "+postgres.ServerRole+" TO "+pgx.Identifier{login}.Sanitize()+";", "%s may not take the role %s: the server cannot start", login, postgres.ServerRole)
	}
	// The transaction names no client, so no client's row may be visible.
	var seen bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM public.clients AS c)", pgx.QueryExecModeSimpleProtocol).Scan(&seen); err != nil {
		return c.fail(err)
	}
	switch {
	case seen:
		return wrong("Restore row-level security: see docs/security.md.", "as %s, clients are seen that no transaction named", postgres.ServerRole)
	case super || owns:
		return warning("Give the server a login of its own (DATABASE_URL) beside the owner's (DATABASE_OWNER_URL): see docs/deployment.md.",
			"the server's login %s could do more than read and admit", login)
	case pooled:
		return ok("%s takes the role, and can do no more; a pooler is in between, and set up for it", login)
	}
	return ok("%s takes the role, and can do no more", login)
}
