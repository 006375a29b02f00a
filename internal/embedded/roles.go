//go:build linux || darwin || freebsd

package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// roleStatements are idempotent and run at every start. They create the server
// role, rather than the owner's migrations, so that the login is its member from
// the start; the owner may grant it, as if it had created it.
//
// Everybody has the password, which quoting would not change. A cluster that was
// made before there was one still trusted whoever reached its socket.
const roleStatements = `
SET log_statement = 'none';
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['` + Owner + `', '` + ServerRole + `', '` + Login + `'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I', name);
        END IF;
    END LOOP;
END
$$;
ALTER ROLE ` + Superuser + ` PASSWORD 'PASSWORD';
ALTER ROLE ` + Owner + ` LOGIN CREATEROLE PASSWORD 'PASSWORD';
ALTER ROLE ` + Login + ` LOGIN PASSWORD 'PASSWORD';
GRANT ` + ServerRole + ` TO ` + Owner + ` WITH ADMIN OPTION;
GRANT ` + ServerRole + ` TO ` + Login + `;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_hba_file_rules WHERE auth_method = 'trust') THEN
        EXECUTE format($copy$COPY (VALUES ('local all all scram-sha-256'), ('host all all all reject')) TO %L$copy$, current_setting('hba_file'));
        PERFORM pg_reload_conf();
    END IF;
END
$$;`

// createRolesAndDatabase creates what an earlier start has not, at whichever step
// it was killed.
func createRolesAndDatabase(ctx context.Context, socket, password string) error {
	conn, err := pgx.Connect(ctx, socketURL(socket, Superuser, password, "postgres"))
	if err != nil {
		return fmt.Errorf("connecting to the new server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// Several statements in one simple query are one transaction.
	if _, err := conn.PgConn().Exec(ctx, strings.ReplaceAll(roleStatements, "PASSWORD 'PASSWORD'", "PASSWORD '"+password+"'")).ReadAll(); err != nil {
		return fmt.Errorf("making the roles: %w", err)
	}
	var trigrams bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')`).Scan(&trigrams); err != nil {
		return fmt.Errorf("looking for pg_trgm: %w", err)
	}
	if !trigrams {
		return errors.New("this PostgreSQL lacks the extension pg_trgm: install its contrib package (postgresql-contrib or alike)")
	}
	var made bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, Database).Scan(&made); err != nil {
		return fmt.Errorf("looking for the database: %w", err)
	}
	if made {
		return nil
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+Database+" OWNER "+Owner); err != nil {
		return fmt.Errorf("making the database: %w", err)
	}
	return nil
}
