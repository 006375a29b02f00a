package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// CheckPooler reports whether a pooler answers for the database (the executing process is
// not the one named at connect), and what keeps a server from working through it.
func CheckPooler(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var pid uint32
	// A named statement may not outlive its transaction there.
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid); err != nil {
		return false, fmt.Errorf("asking which process answers: %w", err)
	}
	if pid == conn.PgConn().PID() {
		return false, nil
	}
	return true, checkPooled(ctx, conn)
}

// checkPooled checks that the login's own settings are right, because a setting made in a
// session behind a pooler would apply to the next client of that session. It runs in the
// simple protocol, which generated methods do not use.
func checkPooled(ctx context.Context, conn *pgx.Conn) error {
	var login string
	var reads, owns, configured bool
	err := conn.QueryRow(ctx, `SELECT
			session_user,
			pg_has_role(session_user, '`+ServerRole+`', 'USAGE'),
			(SELECT pg_has_role(session_user, c.relowner, 'MEMBER') FROM pg_class AS c WHERE c.oid = 'public.clients'::regclass),
			current_setting('TimeZone') = 'UTC'
				AND current_setting('jit') = 'off'
				AND current_setting('lock_timeout') = '2s'
				AND current_setting('idle_in_transaction_session_timeout') = '1min'
				AND current_setting('default_transaction_isolation') = 'read committed'
				AND current_setting('default_transaction_read_only') = 'off'
				AND current_setting('synchronous_commit') <> 'off'`,
		pgx.QueryExecModeSimpleProtocol).Scan(&login, &reads, &owns, &configured)
	switch {
	case err != nil:
		return fmt.Errorf("asking what the pooler's login is: %w", err)
	case owns:
		return fmt.Errorf("through a pooler %s would answer requests as the owner: give the server a login of its own, in %s and nothing else", login, ServerRole)
	case !reads:
		return fmt.Errorf("through a pooler %s must inherit the role %s: grant it, or alter the login to INHERIT", login, ServerRole)
	case !configured:
		return fmt.Errorf("through a pooler the login's settings must be its own: "+
			"ALTER ROLE %[1]s SET TimeZone = 'UTC'; ALTER ROLE %[1]s SET jit = off; ALTER ROLE %[1]s SET lock_timeout = '2s'; "+
			"ALTER ROLE %[1]s SET idle_in_transaction_session_timeout = '60s'; "+
			"ALTER ROLE %[1]s SET default_transaction_isolation = 'read committed'; ALTER ROLE %[1]s SET default_transaction_read_only = off; "+
			"ALTER ROLE %[1]s SET synchronous_commit = on; "+
			"then RECONNECT in the pooler", pgx.Identifier{login}.Sanitize())
	}
	if mode := conn.Config().DefaultQueryExecMode; mode != pgx.QueryExecModeCacheStatement {
		return nil
	}
	return checkPrepared(ctx, conn)
}

// checkPrepared checks that the pooler follows prepared statements from one server
// connection to the next: it then gives them names of its own.
func checkPrepared(ctx context.Context, conn *pgx.Conn) error {
	const name = "clientintel_probe"
	var raw bool
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Prepare(ctx, name, "SELECT 1"); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = '"+name+"')",
			pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
			return err
		}
		return conn.Deallocate(ctx, name)
	})
	if err != nil {
		return fmt.Errorf("preparing a statement through the pooler: %w", err)
	}
	if raw {
		return errors.New("the pooler does not follow prepared statements: set max_prepared_statements in PgBouncer 1.21 or later, " +
			"or add default_query_exec_mode=cache_describe to the database URL")
	}
	return nil
}
