package postgres

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgresEpoch is the year 2000, which PostgreSQL counts time from, in
// microseconds since 1970.
const postgresEpoch = 946_684_800_000_000

// Values reads the columns of rows one by one, from the connection's buffer:
// scanning into variables costs as much as all the rest of an answer. Columns
// have numbers from 0. The first value that cannot be read ends the rows.
//
// Values come in PostgreSQL's binary format; through a pooler that prepares no
// statements they come as text, which pgx knows how to read.
type Values struct {
	rows   pgx.Rows
	fields []pgconn.FieldDescription
	raw    [][]byte
	err    error
}

// NewValues reads rows that have so many columns.
func NewValues(rows pgx.Rows) *Values { return &Values{rows: rows} }

// Next goes to the next row, and closes the rows after the last one.
func (v *Values) Next() bool {
	if v.err != nil || !v.rows.Next() {
		return false
	}
	if v.fields == nil {
		v.fields = v.rows.FieldDescriptions()
	}
	v.raw = v.rows.RawValues()
	return true
}

// Err is why the rows ended before their end.
func (v *Values) Err() error {
	if v.err != nil {
		return v.err
	}
	return v.rows.Err()
}

// Len is how many columns the row has.
func (v *Values) Len() int { return len(v.raw) }

// Null tells whether a column is null.
func (v *Values) Null(at int) bool { return v.raw[at] == nil }

// Text is a text, borrowed until the next row; nil for null.
func (v *Values) Text(at int) []byte { return v.raw[at] }

// JSON is a jsonb's text, borrowed until the next row; nil for null.
func (v *Values) JSON(at int) []byte {
	value := v.raw[at]
	if len(value) > 0 && v.fields[at].Format == pgx.BinaryFormatCode {
		return value[1:] // after the format's version
	}
	return value
}

// UUID is a uuid.
func (v *Values) UUID(at int) uuid.UUID {
	if value, ok := v.binary(at, 16); ok {
		return uuid.UUID(value)
	}
	return scanned[uuid.UUID](v, at)
}

// Microseconds is a moment in microseconds since 1970.
func (v *Values) Microseconds(at int) int64 {
	if value, ok := v.binary(at, 8); ok {
		return int64(binary.BigEndian.Uint64(value)) + postgresEpoch
	}
	return scanned[time.Time](v, at).UnixMicro()
}

// Time is a moment, in UTC.
func (v *Values) Time(at int) time.Time { return time.UnixMicro(v.Microseconds(at)).UTC() }

// Int is an integer of four or eight bytes.
func (v *Values) Int(at int) int64 {
	if value, ok := v.binary(at, 4); ok {
		return int64(int32(binary.BigEndian.Uint32(value)))
	}
	if value, ok := v.binary(at, 8); ok {
		return int64(binary.BigEndian.Uint64(value))
	}
	return scanned[int64](v, at)
}

// Float is a float8 that may be null.
func (v *Values) Float(at int) pgtype.Float8 {
	if v.raw[at] == nil {
		return pgtype.Float8{}
	}
	if value, ok := v.binary(at, 8); ok {
		return pgtype.Float8{Float64: math.Float64frombits(binary.BigEndian.Uint64(value)), Valid: true}
	}
	return scanned[pgtype.Float8](v, at)
}

// Scan reads any column by pgx's means.
func (v *Values) Scan(at int, to any) {
	err := v.rows.Conn().TypeMap().Scan(v.fields[at].DataTypeOID, v.fields[at].Format, v.raw[at], to)
	if err != nil && v.err == nil {
		v.err = fmt.Errorf("reading the column %s: %w", v.fields[at].Name, err)
	}
}

func (v *Values) binary(at, size int) ([]byte, bool) {
	value := v.raw[at]
	return value, v.fields[at].Format == pgx.BinaryFormatCode && len(value) == size
}

// scanned stands apart because what it returns is allocated.
func scanned[T any](v *Values, at int) T {
	var value T
	v.Scan(at, &value)
	return value
}
