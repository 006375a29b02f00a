package importer

import "github.com/google/uuid"

// parseUUID reads the 36 characters of a UUID, in any case.
func parseUUID(text []byte) (uuid.UUID, bool) {
	var id uuid.UUID
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	at := 0
	for i := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			at++ // the dash
		}
		high, low := hexDigit(text[at]), hexDigit(text[at+1])
		if high > 15 || low > 15 {
			return id, false
		}
		id[i] = high<<4 | low
		at += 2
	}
	return id, true
}

// number reads digits only; the callers bound their count.
func number(text []byte) (int, bool) {
	n := 0
	for _, c := range text {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(text) > 0
}

// parseDay reads YYYY-MM-DD, years 0001 to 9999, as days since 2000-01-01.
func parseDay(text []byte) (int, bool) {
	if len(text) != 10 || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	year, ok1 := number(text[0:4])
	month, ok2 := number(text[5:7])
	day, ok3 := number(text[8:10])
	if !ok1 || !ok2 || !ok3 || year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	return daysSince2000(year, month, day), true
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysSince2000 counts in the proleptic Gregorian calendar, from years that
// begin in March so that the leap day comes last.
func daysSince2000(year, month, day int) int {
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 730425
}

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86400 * microsPerSecond
)

// Years 0001 to 9999 in UTC, as microseconds since 2000-01-01.
var (
	firstInstant = int64(daysSince2000(1, 1, 1)) * microsPerDay
	lastInstant  = int64(daysSince2000(9999, 12, 31)+1)*microsPerDay - 1
)

// parseInstant reads an RFC 3339 date-time, digits past microseconds cut off,
// as microseconds since 2000-01-01 UTC. A leap second is refused: PostgreSQL
// would move it into the next minute.
func parseInstant(text []byte) (int64, bool) {
	if len(text) < 20 || text[10]|0x20 != 't' || text[13] != ':' || text[16] != ':' {
		return 0, false
	}
	days, ok := parseDay(text[:10])
	hour, ok1 := number(text[11:13])
	minute, ok2 := number(text[14:16])
	second, ok3 := number(text[17:19])
	if !ok || !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	rest := text[19:]
	fraction := 0
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && isDigit(rest[n]) {
			if n <= 6 {
				fraction = fraction*10 + int(rest[n]-'0')
			}
			n++
		}
		if n == 1 || n > 10 {
			return 0, false
		}
		for i := n; i <= 6; i++ {
			fraction *= 10
		}
		rest = rest[n:]
	}
	offset, ok := parseOffset(rest)
	if !ok {
		return 0, false
	}
	seconds := int64(hour*3600+minute*60+second) - int64(offset)*60
	micros := int64(days)*microsPerDay + seconds*microsPerSecond + int64(fraction)
	return micros, micros >= firstInstant && micros <= lastInstant
}

// parseOffset reads Z or ±hh:mm as minutes east of UTC.
func parseOffset(text []byte) (int, bool) {
	if len(text) == 1 {
		return 0, text[0]|0x20 == 'z'
	}
	if len(text) != 6 || text[3] != ':' || (text[0] != '+' && text[0] != '-') {
		return 0, false
	}
	hour, ok1 := number(text[1:3])
	minute, ok2 := number(text[4:6])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return 0, false
	}
	minutes := hour*60 + minute
	if text[0] == '-' {
		minutes = -minutes
	}
	return minutes, true
}
