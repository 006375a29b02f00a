package postgres

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed objects.sql
var objectsQuery string

//go:embed objects.json
var migratedObjects []byte

// Object is a part of the schema: a function, a policy, a trigger, an index, a constraint, a
// grant, a column.
type Object struct {
	Kind string
	Name string
	// Hash is that of its definition.
	Hash string
	// Repair is the SQL that makes it anew; empty: only a backup has what it held.
	Repair string
}

func (o Object) String() string { return o.Kind + " " + o.Name }

// ReadObjects reads what a database holds, in an order in which it can be made.
func ReadObjects(ctx context.Context, conn *pgx.Conn) (objects []Object, err error) {
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		objects, err = readObjects(ctx, tx)
		return err
	})
	return objects, err
}

func readObjects(ctx context.Context, tx pgx.Tx) ([]Object, error) {
	// The catalog qualifies names by the search path.
	if _, err := tx.Exec(ctx, "SET LOCAL search_path = public, pg_temp"); err != nil {
		return nil, fmt.Errorf("reading what the schema holds: %w", err)
	}
	rows, _ := tx.Query(ctx, objectsQuery) // CollectRows returns its error
	objects, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Object])
	if err != nil {
		return nil, fmt.Errorf("reading what the schema holds: %w", err)
	}
	return objects, nil
}

// expectedObjects are those that this release's migrations make.
func expectedObjects() (expected []Object, err error) {
	err = json.Unmarshal(migratedObjects, &expected)
	return expected, err
}

// FindDamage compares a database with what this release's migrations make, and returns
// what is missing or different, and policies that they do not make. Other objects that an
// operator added are not damage.
func FindDamage(ctx context.Context, conn *pgx.Conn) ([]Object, error) {
	expected, err := expectedObjects()
	if err != nil {
		return nil, fmt.Errorf("reading what the schema should hold: %w", err)
	}
	found, err := ReadObjects(ctx, conn)
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for _, o := range found {
		hashes[o.String()] = o.Hash
	}
	var damage []Object
	known := map[string]bool{}
	for _, o := range expected {
		known[o.String()] = true
		if hash, there := hashes[o.String()]; !there || hash != o.Hash {
			damage = append(damage, o)
		}
	}
	for _, o := range found {
		if o.Kind == "policy" && !known[o.String()] {
			policy, table, _ := strings.Cut(o.Name, " on ")
			o.Repair = "DROP POLICY " + policy + " ON " + table
			damage = append(damage, o)
		}
	}
	return damage, nil
}

// checkUndamaged refuses a database whose damage would be copied.
func checkUndamaged(ctx context.Context, conn *pgx.Conn) error {
	damage, err := FindDamage(ctx, conn)
	if err == nil && len(damage) > 0 {
		err = fmt.Errorf("the database's %s is missing or another: run 'clientintel measurement rebuild --all' first", damage[0])
	}
	return err
}

// requiredRows inserts the rows that migrations insert and requests need, where they are
// missing.
const requiredRows = `
INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes)
VALUES ('', '00000000-0000-0000-0000-000000000000', NULL, 'unknown prefixes',
	sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), '{}')
ON CONFLICT DO NOTHING;
INSERT INTO server_secrets (name, secret)
VALUES ('cursor', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
ON CONFLICT DO NOTHING;`

// Repair makes damaged objects anew, as the owner, in one transaction, and returns them.
// Counts that may be wrong are marked.
func Repair(ctx context.Context, conn *pgx.Conn) ([]Object, error) {
	damage, err := FindDamage(ctx, conn)
	if err != nil {
		return nil, err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('search_path', 'public, pg_temp', true), set_config('lock_timeout', '30s', true),
			set_config('check_function_bodies', 'off', true), set_config('citus.enable_unsafe_triggers', 'on', true)`); err != nil {
			return err
		}
		var home string
		if err := tx.QueryRow(ctx, `SELECT quote_ident(n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
			WHERE e.extname = 'pg_trgm'`).Scan(&home); err != nil {
			return fmt.Errorf("looking for the extension pg_trgm: %w", err)
		}
		marked := false
		for _, o := range damage {
			if o.Kind != "function" && o.Kind != "view" && !marked {
				marked = true
				if _, err := tx.Exec(ctx, "SELECT public.mark_broken_by_disabled_triggers()"); err != nil {
					return fmt.Errorf("marking counts that may be wrong: %w", err)
				}
			}
			if o.Repair == "" {
				return fmt.Errorf("the %s is missing or another: only a backup has what it held", o)
			}
			sql := strings.ReplaceAll(o.Repair, " gin_trgm_ops", " "+home+".gin_trgm_ops")
			sql = strings.ReplaceAll(sql, "'pg_catalog', 'public', 'pg_temp'", "'pg_catalog', '"+home+"', 'pg_temp'")
			if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
				return fmt.Errorf("making the %s anew: %w", o, err)
			}
		}
		_, err := tx.Exec(ctx, requiredRows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return damage, nil
}
