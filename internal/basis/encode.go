package basis

import (
	"encoding/hex"
	"time"

	"github.com/google/uuid"
)

// AppendUUID appends an id in lower case, without quotes.
func AppendUUID(b []byte, id uuid.UUID) []byte {
	var text [36]byte
	hex.Encode(text[:8], id[:4])
	text[8] = '-'
	hex.Encode(text[9:13], id[4:6])
	text[13] = '-'
	hex.Encode(text[14:18], id[6:8])
	text[18] = '-'
	hex.Encode(text[19:23], id[8:10])
	text[23] = '-'
	hex.Encode(text[24:], id[10:])
	return append(b, text[:]...)
}

// AppendTime appends a time in UTC, without quotes: always with six fractional
// digits, so that texts sort as times do.
func AppendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	b = t.AppendFormat(b, time.RFC3339) // the layout that time formats fastest
	b = append(b[:len(b)-1], ".000000Z"...)
	micros := t.Nanosecond() / 1000
	for i := len(b) - 2; micros > 0; i-- {
		b[i] += byte(micros % 10)
		micros /= 10
	}
	return b
}

// Timestamp is a time as AppendTime writes it.
func Timestamp(t time.Time) string { return string(AppendTime(nil, t)) }
