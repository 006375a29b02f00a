package render

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/basis"
)

// The appenders encode values as encoding/json does, to the byte, at a tenth of
// the cost.

const hexDigits = "0123456789abcdef"

// plain marks the ASCII that needs no escape in a JSON string. As in encoding/json,
// <, > and & need one, for old browsers.
var plain = func() [utf8.RuneSelf]bool {
	var table [utf8.RuneSelf]bool
	for c := range table {
		table[c] = c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return table
}()

// appendString appends a JSON string.
func appendString[T string | []byte](b []byte, text T) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if plain[c] {
				i++
				continue
			}
			b = append(b, text[start:i]...)
			b = appendEscape(b, c)
			i++
			start = i
			continue
		}
		r, size := decodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(append(b, text[start:i]...), `\ufffd`...)
			i += size
			start = i
		case r == '\u2028' || r == '\u2029':
			b = append(append(b, text[start:i]...), `\u202`...)
			b = append(b, hexDigits[r&15])
			i += size
			start = i
		default:
			i += size
		}
	}
	return append(append(b, text[start:]...), '"')
}

// decodeRune converts four bytes at most, so that it does not copy the text.
func decodeRune[T string | []byte](text T) (rune, int) {
	return utf8.DecodeRuneInString(string(text[:min(len(text), utf8.UTFMax)]))
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendText appends a text of the database; nil is null.
func appendText(b, text []byte) []byte {
	if text == nil {
		return append(b, "null"...)
	}
	return appendString(b, text)
}

// appendStored appends stored JSON unchanged; nil is null.
func appendStored(b, stored []byte) []byte {
	if stored == nil {
		return append(b, "null"...)
	}
	return append(b, stored...)
}

// appendNumber appends a number of double precision, or null.
func appendNumber(b []byte, n pgtype.Float8) []byte {
	if !n.Valid {
		return append(b, "null"...)
	}
	f := n.Float64
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

// timestamp is a time as appendTime writes it.
func timestamp(t time.Time) string { return basis.Timestamp(t) }

// optionalTimestamp is timestamp of a time that may be missing.
func optionalTimestamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := timestamp(*t)
	return &text
}

// appendUUID appends an id as a JSON string.
func appendUUID(b []byte, id uuid.UUID) []byte {
	return append(basis.AppendUUID(append(b, '"'), id), '"')
}
