package postgres

import (
	"context"
	"fmt"
)

// Ownership is what a login may do with the schema.
type Ownership struct {
	Login string
	// Migrated reports whether there is a schema.
	Migrated bool
	// Owns reports whether the login has the rights of the schema's owner, or may
	// create the schema where there is none.
	Owns bool
}

// ReadOwnership finds out whether a login is the owner's. A hosted owner is no
// superuser, and may have its rights as a member of the role that owns the tables.
func ReadOwnership(ctx context.Context, q Querier) (Ownership, error) {
	var o Ownership
	err := q.QueryRow(ctx, `SELECT current_user::text, t.oid IS NOT NULL, coalesce(
			pg_has_role(t.relowner, 'USAGE'), has_schema_privilege(to_regnamespace('public'), 'CREATE'), true)
		FROM (VALUES (to_regclass('public.clients'))) AS clients (oid)
		LEFT JOIN pg_class AS t ON t.oid = clients.oid`).Scan(&o.Login, &o.Migrated, &o.Owns)
	if err != nil {
		return o, fmt.Errorf("asking whether the login is the owner's: %w", err)
	}
	return o, nil
}

// checkOwner refuses any other login: row-level security would show it an empty database,
// of which a command would report that all is well.
func checkOwner(ctx context.Context, q Querier) error {
	o, err := ReadOwnership(ctx, q)
	if err != nil || o.Owns {
		return err
	}
	lacks := "does not own the schema"
	if !o.Migrated {
		lacks = "may not create the schema"
	}
	return fmt.Errorf("the login %s %s: name its owner's login with --owner-url (DATABASE_OWNER_URL)", o.Login, lacks)
}

// CheckSeesClients returns an error if row-level security hides all clients from a session
// that is to see them, or from the owner, whose triggers write with it. A restore with
// --no-owner does that: the owner's policies name another login.
func CheckSeesClients(ctx context.Context, q Querier) error {
	var login string
	var sees bool
	err := q.QueryRow(ctx, `SELECT pg_get_userbyid(c.relowner)::text, bool_and(u.rolsuper OR u.rolbypassrls OR EXISTS (
			SELECT FROM pg_policy AS p, unnest(p.polroles) AS r (oid)
			WHERE p.polrelid = c.oid AND p.polname LIKE CASE u.oid WHEN c.relowner THEN '%\_accesses' ELSE '%' END || '\_every\_client' AND (r.oid = 0 OR pg_has_role(u.oid, r.oid, 'USAGE'))))
		FROM pg_class AS c
		JOIN pg_roles AS u ON u.oid = c.relowner OR u.rolname = current_user
		WHERE c.oid = 'public.clients'::regclass
		GROUP BY c.relowner`).
		Scan(&login, &sees)
	if err != nil {
		return fmt.Errorf("asking whether the owner sees the clients: %w", err)
	}
	if !sees {
		return fmt.Errorf("row-level security shows %[1]s no client, as the policies owner_accesses_every_client are for the role that owned the schema where it was dumped: restore as that role, or ALTER POLICY … TO %[1]s", login)
	}
	return nil
}
