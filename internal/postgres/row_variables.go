package postgres

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// oidOf is the PostgreSQL type whose values a variable receives. Zero: it is of no
// type that a column can be bound to.
func oidOf(variable any) uint32 {
	switch variable.(type) {
	case *uuid.UUID, *uuid.NullUUID:
		return pgtype.UUIDOID
	case *time.Time, *Microseconds:
		return pgtype.TimestamptzOID
	case *[]byte:
		return pgtype.TextOID
	case *json.RawMessage:
		return pgtype.JSONBOID
	case *pgtype.Float8:
		return pgtype.Float8OID
	}
	return 0
}

// decode reads a value in PostgreSQL's binary format, nil for null, and reports
// whether the variable can hold it.
func decode(value []byte, variable any) bool {
	switch v := variable.(type) {
	case *uuid.UUID:
		return copy(v[:], value) == len(v) && len(value) == len(v)
	case *uuid.NullUUID:
		v.Valid = value != nil
		return !v.Valid || decode(value, &v.UUID)
	case *time.Time:
		at, ok := decodeTime(value)
		*v = time.UnixMicro(int64(at)).UTC()
		return ok
	case *Microseconds:
		at, ok := decodeTime(value)
		*v = at
		return ok
	case *[]byte:
		*v = value
		return true
	case *json.RawMessage:
		text, ok := bytes.CutPrefix(value, []byte{1}) // the format's version
		*v = text
		return ok || value == nil
	case *pgtype.Float8:
		if len(value) != 8 {
			*v = pgtype.Float8{}
			return value == nil
		}
		*v = pgtype.Float8{Float64: math.Float64frombits(binary.BigEndian.Uint64(value)), Valid: true}
		return true
	}
	return false
}

// Microseconds is a moment in microseconds since 1970.
type Microseconds int64

// postgresEpoch is the year 2000, which PostgreSQL counts time from.
const postgresEpoch Microseconds = 946_684_800_000_000

func decodeTime(value []byte) (Microseconds, bool) {
	if len(value) != 8 {
		return 0, false
	}
	return Microseconds(binary.BigEndian.Uint64(value)) + postgresEpoch, true
}

// ScanTimestamptz receives what pgx read.
func (v *Microseconds) ScanTimestamptz(at pgtype.Timestamptz) error {
	*v = Microseconds(at.Time.UnixMicro())
	if !at.Valid {
		return errors.New("null")
	}
	return nil
}
