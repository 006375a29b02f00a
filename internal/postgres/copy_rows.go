package postgres

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// inCluster lists what a cluster has that PostgreSQL does not make itself, of each kind
// that copying rows would lose. Policies are left to FindDamage.
//
//go:embed in_cluster.sql
var inCluster string

// CopyRows copies all rows of a database or none, as the superuser, into a database that
// has just been migrated; both have this release's schema. It refuses a database that
// holds what migrations do not make.
func CopyRows(ctx context.Context, fromURL, toURL string) error {
	from, err := ConnectOwner(ctx, fromURL)
	if err != nil {
		return err
	}
	defer from.Close(context.WithoutCancel(ctx))
	to, err := ConnectOwner(ctx, toURL)
	if err != nil {
		return err
	}
	defer to.Close(context.WithoutCancel(ctx))
	// Counts are copied as they are: a disabled trigger would have made them wrong.
	if err := checkUndamaged(ctx, from); err != nil {
		return err
	}
	err = pgx.BeginTxFunc(ctx, from, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(source pgx.Tx) error {
		return pgx.BeginFunc(ctx, to, func(target pgx.Tx) error { return copyRows(ctx, source, target) })
	})
	if err != nil {
		return fmt.Errorf("copying the database: %w", err)
	}
	if _, err := to.Exec(ctx, "ANALYZE"); err != nil {
		return fmt.Errorf("analyzing the copy: %w", err)
	}
	damage, err := FindDamage(ctx, to)
	if err == nil && len(damage) > 0 {
		err = fmt.Errorf("the copy lacks %s, or has another", damage[0])
	}
	return err
}

func copyRows(ctx context.Context, from, to pgx.Tx) error {
	// Partitions of past days, which migrations do not make.
	if err := each(ctx, from, to, `SELECT format('CREATE TABLE IF NOT EXISTS %1$s PARTITION OF %2$s %3$s; ALTER TABLE %1$s OWNER TO %4$I',
			c.oid::regclass, i.inhparent::regclass, pg_get_expr(c.relpartbound, c.oid), pg_get_userbyid(c.relowner))
		FROM pg_class AS c JOIN pg_inherits AS i ON i.inhrelid = c.oid
		WHERE c.relkind = 'r' AND c.relispartition`); err != nil {
		return err
	}
	has, err := column(ctx, to, inCluster)
	if err != nil {
		return err
	}
	wants, err := column(ctx, from, inCluster)
	if err != nil {
		return err
	}
	if lost := slices.DeleteFunc(wants, func(name string) bool { return slices.Contains(has, name) }); len(lost) > 0 {
		return fmt.Errorf("it also holds what would be lost: %s: move it elsewhere and drop it here first", strings.Join(lost, ", "))
	}
	// No trigger may count the rows again: replica mode disables the ordinary ones, and
	// those that fire always are disabled until the rows are copied.
	always, err := column(ctx, to, `SELECT format('ALTER TABLE %s %%s TRIGGER %I', t.tgrelid::regclass, t.tgname)
		FROM pg_trigger AS t WHERE t.tgenabled = 'A' AND t.tgparentid = 0`)
	if err != nil {
		return err
	}
	switchTriggers := func(how string) error {
		for _, trigger := range always {
			if _, err := to.Exec(ctx, fmt.Sprintf(trigger, how)); err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := to.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return err
	}
	if err := switchTriggers("DISABLE"); err != nil {
		return err
	}
	const tables = `FROM (
		SELECT c.oid::regclass AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
		FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			AND c.relname NOT IN ('goose_db_version', 'migration_hashes')
		GROUP BY c.oid) AS t`
	if err := each(ctx, to, to, "SELECT 'TRUNCATE ' || string_agg(t.name::text, ', ') "+tables); err != nil {
		return err
	}
	copies, err := column(ctx, to, `SELECT format('COPY (SELECT %2$s FROM %1$s) TO STDOUT (FORMAT binary);COPY %1$s (%2$s) FROM STDIN (FORMAT binary)', t.name, t.columns) `+tables)
	if err != nil {
		return err
	}
	for _, both := range copies {
		out, in, _ := strings.Cut(both, ";")
		if err := pipe(ctx, from.Conn(), to.Conn(), out, in); err != nil {
			return err
		}
	}
	if err := each(ctx, from, to, `SELECT format('SELECT setval(%L, %s)', format('%I.%I', s.schemaname, s.sequencename), s.last_value)
		FROM pg_sequences AS s WHERE s.last_value IS NOT NULL`); err != nil {
		return err
	}
	return switchTriggers("ENABLE ALWAYS")
}

// pipe sends the output of one COPY into another.
func pipe(ctx context.Context, from, to *pgx.Conn, out, in string) error {
	r, w := io.Pipe()
	failed := make(chan error, 1)
	go func() {
		_, err := from.PgConn().CopyTo(ctx, w, out)
		w.CloseWithError(err) // nil is the end
		failed <- err
	}()
	_, err := to.PgConn().CopyFrom(ctx, r, in)
	r.CloseWithError(err) // ends the other side
	if err = cmp.Or(err, <-failed); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return nil
}

// each executes in to the statements that a query finds in from.
func each(ctx context.Context, from, to pgx.Tx, query string) error {
	statements, err := column(ctx, from, query)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err := to.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func column(ctx context.Context, tx pgx.Tx, query string) ([]string, error) {
	rows, _ := tx.Query(ctx, query) // CollectRows returns its error
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
