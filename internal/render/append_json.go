package render

import (
	"math"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/segmentio/encoding/json"

	"github.com/clientintel/clientintel/internal/basis"
)

// The appenders encode values as encoding/json does, to the byte, at a tenth of
// the cost.

// appendString appends a JSON string.
func appendString(b []byte, text string) []byte { return json.AppendEscape(b, text, json.EscapeHTML) }

// appendText appends a text; nil is null.
func appendText(b []byte, text *string) []byte {
	if text == nil {
		return append(b, "null"...)
	}
	return appendString(b, *text)
}

// appendStored appends stored JSON unchanged; nil is null.
func appendStored(b, stored []byte) []byte {
	if stored == nil {
		return append(b, "null"...)
	}
	return append(b, stored...)
}

// isFinite reports whether JSON has a number. PostgreSQL has NaN and infinities too; no
// import writes them, but another writer can.
func isFinite(n *float64) bool { return n == nil || !math.IsNaN(*n) && !math.IsInf(*n, 0) }

// appendNumber appends a finite number of double precision, or null.
func appendNumber(b []byte, n *float64) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	f := *n
	format, size := byte('f'), math.Abs(f)
	if size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	if n := len(b); format == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 is written e-9
		b = b[:n-1]
	}
	return b
}

// appendTime appends a time as a JSON string.
func appendTime(b []byte, t time.Time) []byte {
	return append(basis.AppendTime(append(b, '"'), t), '"')
}

// optionalTimestamp is a time as appendTime writes it, nil where it is missing.
func optionalTimestamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(basis.Timestamp(*t))
}

// appendUUID appends an id as a JSON string.
func appendUUID(b []byte, id uuid.UUID) []byte {
	return append(basis.AppendUUID(append(b, '"'), id), '"')
}
