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
		SELECT '00000000-0000-0000-0000-000000000000', k.id, now() + n * interval '1 second' + (n > 0)::integer * interval '1 hour', n + 10000, 'x'
		FROM api_keys AS k, generate_series(-5000, 3) AS n`)
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
	err = tx.QueryRow(t.Context(), `SELECT sum(coalesce(s.seq_tup_read, 0) + coalesce(s.idx_tup_fetch, 0))::bigint
		FROM pg_stat_xact_user_tables AS s
		WHERE s.relname LIKE 'request_log%'`).Scan(&read)
	if err != nil || future != 3 || read > 10 {
		t.Errorf("%v: %d rows of the future, want 3; %d rows read, want up to 10", err, future, read)
	}
}
