package postgres_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// values are a row of all that generated rows hold.
type values struct {
	ID       uuid.UUID
	Campaign *uuid.UUID
	Status   string
	Name     *string
	At       time.Time
	Until    *time.Time
	Score    *float64
	Document json.RawMessage
	Scopes   []string
	Rows     int64
}

func (v *values) columns() []any {
	return []any{&v.ID, &v.Campaign, &v.Status, &v.Name, &v.At, &v.Until, &v.Score, &v.Document, &v.Scopes, &v.Rows}
}

// A snapshot's rows are scanned as pgx scans them, nulls, extremes and its errors included.
func TestScannedRows_AreThoseOfPgx(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{URL: d.ServerURL, Size: 2})
	require.NoError(t, err)
	defer pool.Close()
	for _, row := range []string{
		`gen_random_uuid(), gen_random_uuid(), 'é', 'long ' || repeat('x', 5000), '2026-11-25T10:00:00.123456Z'::timestamptz, '0001-01-01'::timestamptz, 9.5::float8, '{"a": [1.50, "\u00e9"]}'::jsonb, '{a,b}'::text[], 7::bigint`,
		`gen_random_uuid(), NULL::uuid, '', NULL::text, '9999-12-31T23:59:59.999999Z'::timestamptz, NULL::timestamptz, NULL::float8, NULL::jsonb, NULL::text[], 0::bigint`,
		`gen_random_uuid(), NULL::uuid, 'a', ''::text, '1969-12-31T23:59:59.999999Z'::timestamptz, 'infinity'::timestamptz, 'NaN'::float8, 'null'::jsonb, '{}'::text[], 1::bigint`,
		`NULL::uuid, NULL::uuid, 'a', NULL::text, now(), now(), 1::float8, 'null'::jsonb, '{}'::text[], 1::bigint`,
		`gen_random_uuid(), NULL::uuid, NULL::text, NULL::text, now(), now(), 1::float8, 'null'::jsonb, '{}'::text[], 1::bigint`,
		`gen_random_uuid(), NULL::uuid, 'a', NULL::text, NULL::timestamptz, now(), 1::float8, 'null'::jsonb, '{}'::text[], 1::bigint`,
	} {
		d.Exec(t, "DROP TABLE IF EXISTS scanned")
		d.Exec(t, "CREATE TABLE scanned AS SELECT * FROM (VALUES ("+row+")) AS v")
		d.Exec(t, "GRANT SELECT ON scanned TO PUBLIC")
		scan := func(rows pgx.Rows, err error) (v values, failure string) {
			require.NoError(t, err)
			defer rows.Close()
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
			if err := rows.Scan(v.columns()...); err != nil {
				return values{}, err.Error()
			}
			return v, ""
		}
		want, wantError := scan(pool.Query(t.Context(), "SELECT * FROM scanned"))
		var got values
		var gotError string
		err := pool.Read(t.Context(), postgres.Reading{ClientID: uuid.New()}, func(ctx context.Context, s *postgres.Snapshot) error {
			got, gotError = scan(s.Query(ctx, "SELECT * FROM scanned"))
			return nil
		})
		if err != nil && gotError == "" {
			t.Fatal(err)
		}
		if v := got.Score; v != nil && *v != *v { // NaN equals nothing
			got.Score, want.Score = nil, nil
		}
		if !reflect.DeepEqual(got, want) || gotError != wantError {
			t.Errorf("%s\n%+v %s\npgx scans\n%+v %s", row, got, gotError, want, wantError)
		}
	}
}
