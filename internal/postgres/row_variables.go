package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// Variable receives the values of a column of one PostgreSQL type.
type Variable interface {
	oid() uint32
	// decode reads a value in PostgreSQL's binary format, nil for null, and reports
	// whether the variable can hold it.
	decode([]byte) bool
	// target is what pgx scans a value into that comes as text.
	target() any
}

// UUID receives a uuid, never null.
func UUID(v *uuid.UUID) Variable { return (*uuidVariable)(v) }

// NullUUID receives a uuid or null.
func NullUUID(v *uuid.NullUUID) Variable { return (*nullUUIDVariable)(v) }

// Time receives a timestamptz in UTC, never null.
func Time(v *time.Time) Variable { return (*timeVariable)(v) }

// UnixMicro receives a timestamptz, never null, in microseconds since 1970.
func UnixMicro(v *Microseconds) Variable { return v }

// Text receives a text, borrowed until the next row; nil for null.
func Text(v *[]byte) Variable { return (*textVariable)(v) }

// JSONB receives a jsonb's text, borrowed until the next row; nil for null.
func JSONB(v *[]byte) Variable { return (*jsonbVariable)(v) }

// Float8 receives a double precision or null.
func Float8(v *pgtype.Float8) Variable { return (*float8Variable)(v) }

type uuidVariable uuid.UUID

func (*uuidVariable) oid() uint32   { return pgtype.UUIDOID }
func (v *uuidVariable) target() any { return (*uuid.UUID)(v) }
func (v *uuidVariable) decode(value []byte) bool {
	return copy(v[:], value) == len(v) && len(value) == len(v)
}

type nullUUIDVariable uuid.NullUUID

func (*nullUUIDVariable) oid() uint32   { return pgtype.UUIDOID }
func (v *nullUUIDVariable) target() any { return (*uuid.NullUUID)(v) }
func (v *nullUUIDVariable) decode(value []byte) bool {
	v.Valid = value != nil
	return !v.Valid || (*uuidVariable)(&v.UUID).decode(value)
}

// postgresEpoch is the year 2000, which PostgreSQL counts time from, in
// microseconds since 1970.
const postgresEpoch = 946_684_800_000_000

// Microseconds is a moment in microseconds since 1970.
type Microseconds int64

func (*Microseconds) oid() uint32   { return pgtype.TimestamptzOID }
func (v *Microseconds) target() any { return v }
func (v *Microseconds) decode(value []byte) bool {
	if len(value) != 8 {
		return false
	}
	*v = Microseconds(binary.BigEndian.Uint64(value)) + postgresEpoch
	return true
}

// ScanTimestamptz receives what pgx read.
func (v *Microseconds) ScanTimestamptz(at pgtype.Timestamptz) error {
	*v = Microseconds(at.Time.UnixMicro())
	if !at.Valid {
		return errors.New("null")
	}
	return nil
}

type timeVariable time.Time

func (*timeVariable) oid() uint32   { return pgtype.TimestamptzOID }
func (v *timeVariable) target() any { return (*time.Time)(v) }
func (v *timeVariable) decode(value []byte) bool {
	var at Microseconds
	ok := at.decode(value)
	*v = timeVariable(time.UnixMicro(int64(at)).UTC())
	return ok
}

type textVariable []byte

func (*textVariable) oid() uint32   { return pgtype.TextOID }
func (v *textVariable) target() any { return (*[]byte)(v) }
func (v *textVariable) decode(value []byte) bool {
	*v = value
	return true
}

type jsonbVariable []byte

func (*jsonbVariable) oid() uint32   { return pgtype.JSONBOID }
func (v *jsonbVariable) target() any { return (*[]byte)(v) }
func (v *jsonbVariable) decode(value []byte) bool {
	text, ok := bytes.CutPrefix(value, []byte{1}) // the format's version
	*v = text
	return ok || value == nil
}

type float8Variable pgtype.Float8

func (*float8Variable) oid() uint32   { return pgtype.Float8OID }
func (v *float8Variable) target() any { return (*pgtype.Float8)(v) }
func (v *float8Variable) decode(value []byte) bool {
	if len(value) != 8 {
		*v = float8Variable{}
		return value == nil
	}
	*v = float8Variable{Float64: math.Float64frombits(binary.BigEndian.Uint64(value)), Valid: true}
	return true
}
