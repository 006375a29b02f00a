package embedded

import (
	"context"
	_ "embed" // the roles
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// roleStatements create the roles of options.go.
//
//go:embed roles.sql
var roleStatements string

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
