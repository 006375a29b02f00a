package postgres_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/dbtest"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Values mean what PostgreSQL was given, whichever way they come.
func TestValues_AreWhatWasSent(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	postgres.RegisterTypes(conn)
	id := uuid.New()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol} {
		for _, c := range []struct {
			at    time.Time
			long  int64
			short int32
			float float64
		}{
			{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), math.MinInt64, math.MinInt32, -0.5},
			{time.Date(1999, 12, 31, 23, 59, 59, 999999000, time.UTC), -1, -1, math.Inf(1)},
			{time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), 0, 0, 0},
			{time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC), math.MaxInt64, math.MaxInt32, math.MaxFloat64},
		} {
			rows, err := conn.Query(t.Context(), `SELECT $1::uuid, $2::timestamptz, $3::bigint, $4::integer, $5::float8,
				'{"a": [1.50]}'::jsonb, 'Zoë'::text, ARRAY['a', 'b'] FROM generate_series(1, 2)`,
				mode, id, c.at, c.long, c.short, c.float)
			if err != nil {
				t.Fatal(err)
			}
			v := postgres.NewValues(rows)
			seen := 0
			for v.Next() {
				seen++
				var list []string
				v.Scan(7, &list)
				if v.UUID(0) != id || !v.Time(1).Equal(c.at) || v.Microseconds(1) != c.at.UnixMicro() ||
					v.Int(2) != c.long || v.Int(3) != int64(c.short) || v.Float(4) != (pgtype.Float8{Float64: c.float, Valid: true}) ||
					string(v.JSON(5)) != `{"a": [1.50]}` || !json.Valid(v.JSON(5)) || string(v.Text(6)) != "Zoë" ||
					len(list) != 2 || list[1] != "b" || v.Null(0) || v.Len() != 8 {
					t.Errorf("%s: %+v comes as %s %s %d %d %v %s %s %q", mode, c, v.UUID(0), v.Time(1), v.Int(2), v.Int(3), v.Float(4), v.JSON(5), v.Text(6), list)
				}
			}
			if v.Err() != nil || seen != 2 {
				t.Errorf("%s: %d rows and %v", mode, seen, v.Err())
			}
		}
	}
}

// What is null says so, and what is something else ends the rows with an error.
func TestValues_NullAndWrong(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(t.Context(), "SELECT NULL::uuid, NULL::float8, NULL::jsonb, NULL::text, 'x'::text FROM generate_series(1, 3)")
	if err != nil {
		t.Fatal(err)
	}
	v := postgres.NewValues(rows)
	if !v.Next() {
		t.Fatal(v.Err())
	}
	if !v.Null(0) || v.Float(1).Valid || v.JSON(2) != nil || v.Text(3) != nil || v.Null(4) || v.Err() != nil {
		t.Errorf("a row of nulls is not (%v)", v.Err())
	}
	if v.UUID(4); v.Err() == nil || v.Next() {
		t.Error("a text was taken for a uuid")
	}
	rows.Close()
}
