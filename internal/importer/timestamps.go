package importer

import (
	"bytes"
	"time"

	"github.com/google/uuid"
)

// PostgreSQL counts from 2000, Go from 1970.
const (
	microsTo2000 = 946_684_800_000_000
	daysTo2000   = 10_957
)

// Years 0001 to 9999 in UTC, as microseconds since 2000-01-01.
var (
	firstTimestamp = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() - microsTo2000
	lastTimestamp  = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() - microsTo2000 - 1
)

// parseTimestamp reads an RFC 3339 date-time of at most nine digits of a
// second, those past microseconds cut off, as microseconds since 2000-01-01
// UTC. A leap second is refused: PostgreSQL would move it into the next minute.
func parseTimestamp(text []byte) (int64, bool) {
	const toSeconds = len("2006-01-02T15:04:05")
	// time.Parse also takes year 0, an hour of one digit, a comma, any number of
	// digits and a zone of 24:60.
	if len(text) <= toSeconds || string(text[:4]) == "0000" || text[13] != ':' || text[toSeconds] == ',' {
		return 0, false
	}
	if zone := bytes.TrimLeft(text[toSeconds:], ".0123456789"); len(text)-len(zone) > toSeconds+len(".123456789") ||
		len(zone) == len("+00:00") && (string(zone[1:3]) > "23" || string(zone[4:]) > "59") {
		return 0, false
	}
	if text[10] == 't' || text[len(text)-1] == 'z' {
		text = bytes.ToUpper(text)
	}
	var at time.Time
	if err := at.UnmarshalText(text); err != nil {
		return 0, false
	}
	micros := at.UnixMicro() - microsTo2000
	return micros, micros >= firstTimestamp && micros <= lastTimestamp
}

// parseDate reads YYYY-MM-DD, years 0001 to 9999, as days since 2000-01-01.
func parseDate(text []byte) (int, bool) {
	day, err := time.Parse(time.DateOnly, string(text))
	return int(day.Unix()/(24*60*60)) - daysTo2000, err == nil && day.Year() > 0
}

// parseUUID reads the 36 characters of a UUID, in any case.
func parseUUID(text []byte) (uuid.UUID, bool) {
	if len(text) != 36 {
		return uuid.UUID{}, false
	}
	id, err := uuid.ParseBytes(text)
	return id, err == nil
}
