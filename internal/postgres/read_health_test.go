package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// Rows of the future are counted without reading those of the past, unknown
// prefixes' included.
func TestReadHealth_ReadsNoRowsOfThePast(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route)
		SELECT '00000000-0000-0000-0000-000000000000', k.id, now() + n * interval '1 second' + (n > 0)::integer * interval '1 hour', n + 30000, 'x'
		FROM api_keys AS k, generate_series(-20000, 3) AS n`)
	d.Exec(t, "ANALYZE request_log")
	conn, err := pgx.Connect(t.Context(), d.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var future, read int64
	if err := tx.QueryRow(t.Context(), "SELECT h.future_requests FROM read_health(1, 1) AS h").Scan(&future); err != nil {
		t.Fatal(err)
	}
	// Of tables and their indexes.
	err = tx.QueryRow(t.Context(), `SELECT sum(pg_stat_get_xact_blocks_fetched(c.oid))::bigint
		FROM pg_class AS c
		WHERE c.relname LIKE 'request_log%'`).Scan(&read)
	if err != nil || future != 3 || read > 40 {
		t.Errorf("%v: %d rows of the future, want 3; %d blocks read, want up to 40", err, future, read)
	}
}
