package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/sql/migrations"
)

// SchemaVersion is the number of the last migration of this release: they are
// numbered from one, without gaps.
func SchemaVersion() int64 { return int64(len(migrationNames())) }

func migrationNames() []string {
	names, _ := fs.Glob(migrations.Files, "*.sql") // fails on a bad pattern only
	return names
}

// Schema is what a database holds.
type Schema struct {
	// Version is the last migration applied; zero where none is.
	Version int64
	// Empty reports that the database has no table at all.
	Empty bool
	// OldestServed is the oldest version whose servers can serve this schema; zero
	// where the schema does not say.
	OldestServed int64
}

// Querier is a connection, a pool or a transaction.
type Querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// ReadSchema reads what a database holds.
func ReadSchema(ctx context.Context, q Querier) (Schema, error) {
	var migrated, occupied bool
	// Tables of extensions do not count, nor does what a first migration leaves that failed.
	if err := q.QueryRow(ctx, `SELECT to_regclass('public.goose_db_version') IS NOT NULL, EXISTS (
			SELECT FROM pg_class AS c
			JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relname NOT LIKE 'goose\_db\_version%'
				AND NOT EXISTS (SELECT FROM pg_depend AS d
					WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))`).
		Scan(&migrated, &occupied); err != nil {
		return Schema{}, fmt.Errorf("looking for the schema: %w", err)
	}
	if !migrated {
		return Schema{Empty: !occupied}, nil
	}
	s := Schema{}
	if err := q.QueryRow(ctx, "SELECT coalesce(max(v.version_id), 0) FROM public.goose_db_version AS v WHERE v.is_applied").Scan(&s.Version); err != nil {
		return Schema{}, fmt.Errorf("reading which migrations were applied: %w", err)
	}
	s.Empty = s.Version == 0 && !occupied
	if s.Version <= SchemaVersion() {
		return s, nil
	}
	var says bool
	if err := q.QueryRow(ctx, "SELECT to_regprocedure('public.oldest_served_version()') IS NOT NULL").Scan(&says); err != nil || !says {
		return s, err
	}
	if err := q.QueryRow(ctx, "SELECT public.oldest_served_version()").Scan(&s.OldestServed); err != nil {
		return s, fmt.Errorf("reading which servers can serve the schema: %w", err)
	}
	return s, nil
}

// Check returns an error that says what to run unless the schema is this
// release's own.
func (s Schema) Check() error {
	ours := SchemaVersion()
	switch {
	case s.Empty:
		return errors.New("this database has no schema yet: run 'clientintel migrate'")
	case s.Version == 0:
		return errors.New("this database holds tables of another program and no schema of clientintel: name a database of its own with --database-url")
	case s.Version < ours:
		return fmt.Errorf("the database's schema is at version %d and this release needs version %d: run 'clientintel migrate'", s.Version, ours)
	case s.Version > ours:
		return fmt.Errorf("the database's schema is at version %d, which is newer than version %d of this release: run the release that migrated it", s.Version, ours)
	}
	return nil
}

// CheckServed is Check for a server, which can also serve a newer schema that
// says so.
func (s Schema) CheckServed() error {
	if s.Version > SchemaVersion() && s.OldestServed > 0 && s.OldestServed <= SchemaVersion() {
		return nil
	}
	return s.Check()
}

// ReadSchemaAsServer is ReadSchema on a connection of its own with the server's login,
// which need not be a member of ServerRole yet.
func ReadSchemaAsServer(ctx context.Context, url string) (Schema, error) {
	return onSimpleConnection(ctx, url, func(ctx context.Context, conn *pgx.Conn) (s Schema, err error) {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET LOCAL ROLE "+ServerRole); err != nil {
				return err
			}
			s, err = ReadSchema(ctx, tx)
			return err
		})
		if err != nil {
			return ReadSchema(ctx, conn)
		}
		return s, nil
	})
}

// CanAdmit reports whether the session may execute the function that admits
// requests, with the arguments that this release sends.
func CanAdmit(ctx context.Context, q Querier) (bool, error) {
	var can bool
	err := q.QueryRow(ctx, `SELECT coalesce(has_function_privilege(
		to_regprocedure('public.admit(text[], bytea[], text[], integer, interval, interval)'), 'EXECUTE'), false)`).Scan(&can)
	return can, err
}

// onSimpleConnection reads on a connection of its own, without prepared statements,
// which a pooler may not know.
func onSimpleConnection[T any](ctx context.Context, url string, read func(context.Context, *pgx.Conn) (T, error)) (found T, err error) {
	config, err := ParseURL(url)
	if err != nil {
		return found, err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return found, fmt.Errorf("connecting to the database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return read(ctx, conn)
}
