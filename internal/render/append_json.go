package render

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/segmentio/encoding/json"

	"github.com/clientintel/clientintel/internal/basis"
)

// The appenders encode values as encoding/json does, to the byte, at a tenth of
// the cost.

// appendText appends a text; nil is null.
func appendText(b []byte, text *string) []byte {
	if text == nil {
		return append(b, "null"...)
	}
	return json.AppendEscape(b, *text, json.EscapeHTML)
}

// appendStored appends stored JSON unchanged; nil is null.
func appendStored(b, stored []byte) []byte {
	if stored == nil {
		return append(b, "null"...)
	}
	return append(b, stored...)
}

var errNotFinite = errors.New("JSON has no such number")

// appendNumber appends a number of double precision; nil is null. PostgreSQL has NaN and
// infinities too; no import writes them, but another writer can.
func appendNumber(b []byte, n *float64) ([]byte, error) {
	if n == nil {
		return append(b, "null"...), nil
	}
	if math.IsNaN(*n) || math.IsInf(*n, 0) {
		return b, errNotFinite
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
	return b, nil
}

// optionalTimestamp is a time as appendTime writes it, nil where it is missing.
func optionalTimestamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(basis.Timestamp(*t))
}
