package postgres

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// scannedRows scan the columns of a page into the types of generated rows. pgx finds a
// plan for each column by reflection and allocates twice for each value that may be null,
// which takes a quarter of a page's CPU time.
type scannedRows struct{ pgx.Rows }

// Scan reads the row. What it does not know it leaves to pgx: other types and formats,
// nulls where none may be, infinite times.
func (r scannedRows) Scan(to ...any) error {
	values, fields := r.RawValues(), r.FieldDescriptions()
	if len(to) != len(values) {
		return r.Rows.Scan(to...)
	}
	for i, value := range values {
		oid := fields[i].DataTypeOID
		known := oid == pgtype.TextOID || (oid == pgtype.JSONBOID) == (fields[i].Format == pgx.TextFormatCode)
		switch to := to[i].(type) {
		case *string:
			if known = known && oid == pgtype.TextOID && value != nil; known {
				*to = string(value)
			}
		case **string:
			if known = known && oid == pgtype.TextOID; known {
				*to = nil
				if value != nil {
					*to = new(string(value))
				}
			}
		case *uuid.UUID:
			if known = known && oid == pgtype.UUIDOID && value != nil; known {
				*to = uuid.UUID(value)
			}
		case **uuid.UUID:
			if known = known && oid == pgtype.UUIDOID; known {
				*to = nil
				if value != nil {
					*to = new(uuid.UUID(value))
				}
			}
		case *time.Time:
			if known = known && oid == pgtype.TimestamptzOID && value != nil; known {
				micros := int64(binary.BigEndian.Uint64(value))
				*to = time.UnixMicro(micros + microsTo2000).UTC()
				known = micros != math.MaxInt64 && micros != math.MinInt64
			}
		case **float64:
			if known = known && oid == pgtype.Float8OID; known {
				*to = nil
				if value != nil {
					*to = new(math.Float64frombits(binary.BigEndian.Uint64(value)))
				}
			}
		case *json.RawMessage:
			if known = known && oid == pgtype.JSONBOID; known {
				*to = append(json.RawMessage(nil), value...) // the connection's
			}
		default:
			known = false
		}
		if known {
			continue
		}
		if err := r.Conn().TypeMap().Scan(oid, fields[i].Format, value, to[i]); err != nil {
			return r.Rows.Scan(to...) // whose error names the column
		}
	}
	return nil
}

// microsTo2000 is from where PostgreSQL counts, since 1970.
const microsTo2000 = 946_684_800_000_000
