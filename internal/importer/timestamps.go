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
	_, fraction, _ := bytes.Cut(text, []byte{'.'})
	var at time.Time
	err := at.UnmarshalText(bytes.ToUpper(text))
	at = at.UTC()
	return at, err == nil && bytes.IndexAny(fraction, "zZ+-") <= len("123456789") && at.Year() >= 1 && at.Year() <= 9999
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
