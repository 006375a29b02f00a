package postgres

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// scannedRows scan the columns of a page into the types of generated rows. pgx finds a
// plan for each column by reflection and allocates twice for each value that may be null,
// which takes a quarter of a page's CPU time.
type scannedRows struct{ pgx.Rows }

// Scan reads the row. What it does not know it leaves to pgx.
func (r scannedRows) Scan(to ...any) error {
	values, fields := r.RawValues(), r.FieldDescriptions()
	if len(to) != len(values) {
		return r.Rows.Scan(to...)
	}
	for i, value := range values {
		if scanValue(to[i], value, &fields[i]) {
			continue
		}
		if err := r.Conn().TypeMap().Scan(fields[i].DataTypeOID, fields[i].Format, value, to[i]); err != nil {
			return r.Rows.Scan(to...) // whose error names the column
		}
	}
	return nil
}

// scanValue reports whether it knows the value's type and format.
func scanValue(to any, value []byte, field *pgconn.FieldDescription) bool {
	isText := field.DataTypeOID == pgtype.TextOID
	binaryOf := func(oid uint32) bool { return field.Format == pgx.BinaryFormatCode && field.DataTypeOID == oid }
	switch to := to.(type) {
	case *string:
		if isText && value != nil {
			*to = string(value)
			return true
		}
	case **string:
		return isText && scanNull(to, value, func() (string, bool) { return string(value), true })
	case *uuid.UUID:
		if binaryOf(pgtype.UUIDOID) && len(value) == len(to) {
			*to = uuid.UUID(value)
			return true
		}
	case **uuid.UUID:
		return binaryOf(pgtype.UUIDOID) && scanNull(to, value, func() (uuid.UUID, bool) { return uuid.UUID(value), true })
	case *time.Time:
		if at, known := parseTime(value); known && binaryOf(pgtype.TimestamptzOID) {
			*to = at
			return true
		}
	case **time.Time:
		return binaryOf(pgtype.TimestamptzOID) && scanNull(to, value, func() (time.Time, bool) { return parseTime(value) })
	case **float64:
		return binaryOf(pgtype.Float8OID) && scanNull(to, value, func() (float64, bool) {
			return math.Float64frombits(binary.BigEndian.Uint64(value)), true
		})
	case *json.RawMessage:
		if field.DataTypeOID == pgtype.JSONBOID && field.Format == pgx.TextFormatCode {
			*to = append(json.RawMessage(nil), value...) // the connection's
			return true
		}
	}
	return false
}

// scanNull scans a value that may be null.
func scanNull[T any](to **T, value []byte, parse func() (T, bool)) bool {
	*to = nil
	if value == nil {
		return true
	}
	parsed, known := parse()
	if known {
		*to = &parsed
	}
	return known
}

// parseTime reads microseconds since 2000. Infinite times are left to pgx.
func parseTime(value []byte) (time.Time, bool) {
	if len(value) != 8 {
		return time.Time{}, false
	}
	const since1970 = 946_684_800_000_000
	micros := int64(binary.BigEndian.Uint64(value))
	if micros == math.MaxInt64 || micros == math.MinInt64 {
		return time.Time{}, false
	}
	return time.UnixMicro(micros + since1970).UTC(), true
}
