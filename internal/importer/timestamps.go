package importer

import (
	"bytes"
	"time"

	"github.com/google/uuid"
)

// parseTimestamp reads an RFC 3339 date-time of at most nine digits of a second, those
// past microseconds cut off, years 0001 to 9999 in UTC. A leap second is refused:
// PostgreSQL would move it into the next minute.
func parseTimestamp(text []byte) (time.Time, bool) {
	const toSeconds = len("2006-01-02T15:04:05")
	// UnmarshalText also takes an hour of one digit, a comma, any number of digits and a
	// zone of 24:60.
	if len(text) <= toSeconds || text[13] != ':' || text[toSeconds] == ',' {
		return time.Time{}, false
	}
	zone := bytes.TrimLeft(text[toSeconds:], ".0123456789")
	if len(text)-len(zone) > toSeconds+len(".123456789") || len(zone) == len("+00:00") && (string(zone[1:3]) > "23" || string(zone[4:]) > "59") {
		return time.Time{}, false
	}
	var at time.Time
	err := at.UnmarshalText(bytes.ToUpper(text))
	at = at.UTC()
	return at, err == nil && at.Year() >= 1 && at.Year() <= 9999
}

// parseDate reads YYYY-MM-DD, years 0001 to 9999.
func parseDate(text []byte) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, string(text))
	return day, err == nil && day.Year() > 0
}

// parseUUID reads the 36 characters of a UUID, in any case.
func parseUUID(text []byte) (uuid.UUID, bool) {
	if len(text) != 36 {
		return uuid.UUID{}, false
	}
	id, err := uuid.ParseBytes(text)
	return id, err == nil
}
