package postgres_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// everyType has a variable of each kind.
type everyType struct {
	id     uuid.UUID
	maybe  uuid.NullUUID
	at     time.Time
	micro  postgres.Microseconds
	text   []byte
	json   json.RawMessage
	number pgtype.Float8
}

func (v *everyType) columns() []postgres.Column {
	return []postgres.Column{
		{Name: "id", To: &v.id},
		{Name: "maybe", To: &v.maybe},
		{Name: "at", To: &v.at},
		{Name: "micro", To: &v.micro},
		{Name: "text", To: &v.text},
		{Name: "json", To: &v.json},
		{Name: "number", To: &v.number},
	}
}

// Values mean what PostgreSQL was given, in binary and in text, in any order.
func TestRowDecoder_ValuesAreWhatWasSent(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	postgres.RegisterTypes(conn)
	id := uuid.New()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol} {
		for _, c := range []struct {
			at     time.Time
			number float64
		}{
			{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), -0.5},
			{time.Date(1999, 12, 31, 23, 59, 59, 999999000, time.UTC), math.Inf(1)},
			{time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), 0},
			{time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC), math.MaxFloat64},
		} {
			// The second row is null wherever it may be: nothing of the first is left.
			rows, err := conn.Query(t.Context(), `SELECT CASE WHEN n = 1 THEN $3::float8 END AS number, $1::uuid AS id,
					CASE WHEN n = 1 THEN $1::uuid END AS maybe, $2::timestamptz AS micro, $2::timestamptz AS at,
					CASE WHEN n = 1 THEN '{"a": [1.50]}'::jsonb END AS json, CASE WHEN n = 1 THEN 'Zoë'::text END AS text
				FROM generate_series(1, 2) AS n ORDER BY n`, mode, id, c.at, c.number)
			if err != nil {
				t.Fatal(err)
			}
			var got everyType
			decoder := postgres.NewRowDecoder(rows, got.columns()...)
			if !decoder.Next() || got.id != id || got.maybe != (uuid.NullUUID{UUID: id, Valid: true}) || !got.at.Equal(c.at) ||
				got.at.Location() != time.UTC || int64(got.micro) != c.at.UnixMicro() || string(got.text) != "Zoë" ||
				string(got.json) != `{"a": [1.50]}` || got.number != (pgtype.Float8{Float64: c.number, Valid: true}) {
				t.Errorf("%s: %+v comes as %+v (%v)", mode, c, got, decoder.Err())
			}
			if !decoder.Next() || got.maybe.Valid || got.text != nil || got.json != nil || got.number.Valid {
				t.Errorf("%s: a row of nulls comes as %+v (%v)", mode, got, decoder.Err())
			}
			if decoder.Next() || decoder.Err() != nil {
				t.Errorf("%s: more than two rows, or %v", mode, decoder.Err())
			}
		}
	}
}

// A null that a variable cannot hold ends the rows, and the column is named.
func TestRowDecoder_RefusesNulls(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	postgres.RegisterTypes(conn)
	const whole = `SELECT gen_random_uuid() AS id, NULL::uuid AS maybe, now() AS at, now() AS micro, NULL::text AS text,
		NULL::jsonb AS json, NULL::float8 AS number`
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol} {
		for column, value := range map[string]string{"id": "gen_random_uuid()", "at": "now()", "micro": "now()"} {
			null := "NULL::" + map[string]string{"id": "uuid", "at": "timestamptz", "micro": "timestamptz"}[column]
			rows, err := conn.Query(t.Context(), strings.Replace(whole, value+" AS "+column, null+" AS "+column, 1), mode)
			if err != nil {
				t.Fatal(err)
			}
			var got everyType
			decoder := postgres.NewRowDecoder(rows, got.columns()...)
			if decoder.Next() || decoder.Err() == nil || !strings.Contains(decoder.Err().Error(), `"`+column+`"`) {
				t.Errorf("%s: %s is null: %v, want an error that names it", mode, column, decoder.Err())
			}
			rows.Close()
		}
	}
}

// Every difference between a result's columns and those that are bound is named,
// before a row is read, and although there is none.
func TestRowDecoder_NamesEveryDifference(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	for sql, want := range map[string]string{
		"SELECT 'x'::text AS text, 1::float8 AS number":                    "",
		"SELECT 1::float8 AS number, 'x'::text AS text":                    "",
		"SELECT 1::float8 AS number, 'x'::text AS text WHERE false":        "",
		"SELECT 'x'::text AS text":                                         `"number" is missing`,
		"SELECT 'x'::text AS text WHERE false":                             `"number" is missing`,
		"SELECT 'x'::text AS text, 1::bigint AS number":                    `"number" is int8, not float8`,
		"SELECT 'x'::varchar AS text, 1::float8 AS number":                 `"text" is varchar, not text`,
		"SELECT 'x'::text AS text, 1::float8 AS number, 1::float8 AS one":  `"one" is not expected`,
		"SELECT 'x'::text AS text, 'y'::text AS text, 1::float8 AS number": `"text" comes twice`,
		"SELECT 'x'::text AS text, 'y'::text AS text":                      `"text" comes twice, "number" is missing`,
		"SELECT 'x'::text AS \"Text\", 1::float8 AS number":                `"Text" is not expected, "text" is missing`,
		"SELECT": `"text" is missing, "number" is missing`,
	} {
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		var text []byte
		var number pgtype.Float8
		decoder := postgres.NewRowDecoder(rows,
			postgres.Column{Name: "text", To: &text}, postgres.Column{Name: "number", To: &number})
		any := decoder.Next()
		switch err := decoder.Err(); {
		case want == "" && (err != nil || any != !strings.Contains(sql, "false") || any && (string(text) != "x" || number.Float64 != 1)):
			t.Errorf("%s: %q, %v and %v", sql, text, number, err)
		case want != "" && (any || err == nil || !strings.HasSuffix(err.Error(), want)):
			t.Errorf("%s: a row %v and the error %v, want %s", sql, any, err, want)
		}
		rows.Close()
	}
}

// What the database says of a query that fails comes back as it is.
func TestRowDecoder_PassesTheDatabasesErrorsOn(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	for _, sql := range []string{"SELECT 1 / 0 AS other", "SELECT (10 / (3 - n))::float8 AS number FROM generate_series(1, 5) AS n"} {
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		var number pgtype.Float8
		decoder := postgres.NewRowDecoder(rows, postgres.Column{Name: "number", To: &number})
		for decoder.Next() {
		}
		if codeOf(decoder.Err()) != "22012" || decoder.Next() {
			t.Errorf("%s: a division by zero comes as %v", sql, decoder.Err())
		}
	}
}
