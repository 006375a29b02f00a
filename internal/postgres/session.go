package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// connectionSettings are sent when a connection begins, whatever a database or a role has
// set. Under another encoding texts would be stored encoded twice; without conforming
// strings pgx sends no simple query.
var connectionSettings = map[string]string{"client_encoding": "UTF8", "standard_conforming_strings": "on"}

type setting struct{ name, value string }

// sessionSettings are what the statements of a session rely on, whatever the defaults of
// the database, the role or the URL are.
var sessionSettings = []setting{
	// A stricter level has one snapshot for a whole transaction: a statement that waits
	// for a lock would then not see what the lock's holder wrote.
	{"default_transaction_isolation", "read committed"},
	{"default_transaction_read_only", "off"},
	{"default_transaction_deferrable", "off"},
	{"search_path", "public, pg_temp"},
	{"row_security", "on"},
	{"TimeZone", "UTC"},
	{"DateStyle", "ISO, MDY"},
	{"IntervalStyle", "postgres"},
	{"bytea_output", "hex"},
	{"extra_float_digits", "1"},
}

// serverSettings are those of a server's sessions.
var serverSettings = slices.Concat(sessionSettings, []setting{
	{"idle_in_transaction_session_timeout", "60s"},
	{"idle_session_timeout", "0"},
	{"transaction_timeout", "0"},
	{"plan_cache_mode", "auto"},
	{"enable_seqscan", "on"},
	{"enable_indexscan", "on"},
	{"enable_indexonlyscan", "on"},
	{"enable_bitmapscan", "on"},
	{"enable_sort", "on"},
	{"enable_nestloop", "on"},
	{"enable_hashjoin", "on"},
	{"enable_mergejoin", "on"},
	{"enable_hashagg", "on"},
	{"jit", "off"},
})

// setAll leaves out what this version of PostgreSQL does not know. A crash must not give
// requests back to a key, so a commit waits for the primary's disk; whether it also waits
// for standbys is the operator's choice.
const setAll = `SELECT pg_catalog.set_config(s.name, s.value, false)
FROM (
    SELECT * FROM unnest($1::text[], $2::text[])
    UNION ALL
    SELECT 'synchronous_commit', 'on' WHERE pg_catalog.current_setting('synchronous_commit') = 'off'
) AS s (name, value)
WHERE pg_catalog.current_setting(s.name, true) IS NOT NULL`

func set(ctx context.Context, conn *pgx.Conn, settings []setting) error {
	names, values := make([]string, len(settings)), make([]string, len(settings))
	for i, s := range settings {
		names[i], values[i] = s.name, s.value
	}
	if _, err := conn.Exec(ctx, setAll, names, values); err != nil {
		return fmt.Errorf("setting what a session needs: %w", err)
	}
	return nil
}
