package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/sql/roles"
)

// The roles that migrations grant rights to. Each owns nothing. A command takes the one
// that its work needs, and has no other rights then.
const (
	// ServerRole answers requests: it may read one client at a time, and admit.
	ServerRole = "clientintel_server"
	// ImporterRole writes every client's records, and no keys.
	ImporterRole = "clientintel_importer"
	// KeysRole issues and ends keys, and reads no client's records.
	KeysRole = "clientintel_keys"
	// AuditorRole reads keys, their audits and their use.
	AuditorRole = "clientintel_auditor"
)

// CreateRoles is SQL that makes the roles and lets an owner take them.
func CreateRoles(owner string) string {
	const example = "clientintel_owner"
	text := strings.ReplaceAll(roles.Create, `"`+example+`"`, pgx.Identifier{owner}.Sanitize())
	return strings.ReplaceAll(text, "'"+example+"'", "'"+strings.ReplaceAll(owner, "'", "''")+"'")
}

// ConnectAs connects for one command, whose statements have no timeout but the database's.
// The session takes the first of the roles that its login may take. Without roles, and on
// a distributed database, whose workers know logins only, it is the owner's.
func ConnectAs(ctx context.Context, url string, roles ...string) (*pgx.Conn, error) {
	return ConnectTo(ctx, url, nil, roles...)
}

// ConnectTo is ConnectAs to a database whose schema passes a check, if there is one.
func ConnectTo(ctx context.Context, url string, check func(Schema) error, roles ...string) (*pgx.Conn, error) {
	config, err := ParseURL(url)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	RegisterTypes(conn)
	err = set(ctx, conn, sessionSettings)
	if err == nil {
		err = prepareForCommand(ctx, conn, check, roles)
	}
	if err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return conn, nil
}

// prepareForCommand takes the role. That it is missing for want of a schema is the check's
// error.
func prepareForCommand(ctx context.Context, conn *pgx.Conn, check func(Schema) error, roles []string) error {
	if err := CheckShadowing(ctx, conn); err != nil {
		return err
	}
	distributed, err := IsDistributed(ctx, conn)
	switch {
	case err != nil:
		return err
	case distributed || len(roles) == 0:
		err = checkOwner(ctx, conn)
	default:
		err = takeRole(ctx, conn, roles)
	}
	if check == nil || err != nil && len(roles) == 0 {
		return err
	}
	schema, unread := ReadSchema(ctx, conn)
	if unread != nil {
		return cmp.Or(err, unread)
	}
	return cmp.Or(check(schema), err)
}

// takeRole takes the first of the roles that the login may take.
func takeRole(ctx context.Context, conn *pgx.Conn, roles []string) error {
	for _, role := range roles {
		_, err := conn.Exec(ctx, "SET ROLE "+role)
		switch SQLState(err) {
		case "42501", "22023": // it may not take it; there is no such role
			continue
		}
		if err != nil {
			return fmt.Errorf("taking the role %s: %w", role, err)
		}
		return nil
	}
	login := conn.Config().User
	return fmt.Errorf("the login %s may not take the role %s: name a login that may, with --database-url (DATABASE_URL), or as an administrator: GRANT %s TO %s",
		login, strings.Join(roles, " or "), roles[0], pgx.Identifier{login}.Sanitize())
}

// WithLogin executes a statement with all rights of the session's login: PostgreSQL warns,
// and leaves out what it may not do.
func WithLogin(ctx context.Context, conn *pgx.Conn, statement string) error {
	var role string
	err := conn.QueryRow(ctx, "SELECT quote_ident(current_user)").Scan(&role)
	for _, s := range []string{"RESET ROLE", statement, "SET ROLE " + role} {
		if err == nil {
			_, err = conn.Exec(ctx, s)
		}
	}
	return err
}

// CheckShadowing refuses a database in whose schema public every login may create, or another
// login than the owner has created: PostgreSQL takes a function whose arguments fit better in
// place of its own, and runs it with the rights of whoever calls it.
func CheckShadowing(ctx context.Context, q Querier) error {
	var everyone bool
	var strangers string
	// Each operator and function below is PostgreSQL's own with these very types. Of tables
	// only the names that imports give to temporary ones can be taken.
	err := q.QueryRow(ctx, `SELECT
			EXISTS (SELECT FROM aclexplode(n.nspacl) AS a WHERE a.grantee = 0::oid AND a.privilege_type = 'CREATE'::text),
			coalesce((
				SELECT string_agg(o.name, ' '::text ORDER BY o.name)
				FROM (
					SELECT 'DROP FUNCTION '::text || p.oid::regprocedure::text || ';'::text, p.oid, p.proowner FROM pg_proc AS p WHERE p.pronamespace = n.oid
					UNION ALL
					SELECT 'DROP OPERATOR '::text || p.oid::regoperator::text || ';'::text, p.oid, p.oprowner FROM pg_operator AS p WHERE p.oprnamespace = n.oid
					UNION ALL
					SELECT 'DROP TABLE '::text || c.oid::regclass::text || ';'::text, c.oid, c.relowner FROM pg_class AS c WHERE c.relnamespace = n.oid AND c.relname LIKE 'import\_%'::text
				) AS o (name, oid, owner)
				JOIN pg_roles AS r ON r.oid = o.owner AND NOT r.rolsuper
				WHERE NOT pg_has_role(coalesce((SELECT c.relowner FROM pg_class AS c WHERE c.oid = to_regclass('public.clients'::text)::oid),
						(SELECT u.oid FROM pg_roles AS u WHERE u.rolname = current_user)), o.owner, 'USAGE'::text)
					AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = o.oid AND d.deptype = 'e')
			), ''::text)
		FROM pg_namespace AS n
		WHERE n.nspname = 'public'`).Scan(&everyone, &strangers)
	switch {
	case err != nil:
		return fmt.Errorf("reading the rights in the schema public: %w", err)
	case everyone:
		return errors.New("every login may create functions in the schema public, which the owner would run: as the schema's owner or a superuser, REVOKE CREATE ON SCHEMA public FROM PUBLIC;")
	case strangers != "":
		return errors.New("the schema public has objects of another login, which could stand in the place of PostgreSQL's or our own: find out whose they are, then as a superuser: " + strangers)
	}
	return nil
}
