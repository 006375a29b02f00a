package timewindow

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
)

// Accepted lists the accepted spellings of a moment, for error messages.
const Accepted = "YYYY-MM-DD, or YYYY-MM-DDThh:mm[:ss[.fraction]] with Z, an offset ±hh:mm or nothing (UTC)"

var (
	errGrammar  = errors.New("is not a date or date-time")
	errCalendar = errors.New("is not a real calendar date or time")
	errYears    = errors.New("is outside the years 0001 to 9999 in UTC")
)

var momentPattern = regexp.MustCompile(
	`^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?$`)

// Moment is a parsed date or date-time.
type Moment struct {
	at     time.Time // UTC, microsecond-grained
	isDate bool
}

// Parameter reads a moment that a query parameter gives; nil if it is not given.
func Parameter(name string, text *string) (*Moment, error) {
	if text == nil {
		return nil, nil
	}
	m, err := Parse(*text)
	if err != nil {
		hint := ""
		if strings.Contains(*text, " ") {
			hint = apierror.AboutPlus
		}
		return nil, apierror.Parameter(name, fmt.Sprintf("%s %s %v; accepted: %s%s", name, apierror.Quote(*text), err, Accepted, hint))
	}
	return &m, nil
}

// Parse reads a moment. Digits past microseconds are cut off as in PostgreSQL: a
// bound that kept them would miss its own row.
func Parse(text string) (Moment, error) {
	m := momentPattern.FindStringSubmatch(text)
	if m == nil {
		return Moment{}, errGrammar
	}
	if m[2] == "" {
		day, err := time.Parse(time.DateOnly, m[1])
		if err != nil || day.Year() < 1 {
			return Moment{}, errCalendar
		}
		return Moment{at: day, isDate: true}, nil
	}
	zone := cmp.Or(m[5], "Z")
	at, err := time.Parse(time.RFC3339Nano, m[1]+"T"+m[2]+":"+cmp.Or(m[3], "00")+"."+cmp.Or(m[4], "0")+zone)
	// It takes offsets up to 24:60.
	if zone != "Z" && err == nil {
		_, err = time.Parse("15:04", zone[1:])
	}
	if err != nil || at.Year() < 1 {
		return Moment{}, errCalendar
	}
	if year := at.UTC().Year(); year < 1 || year > 9999 {
		return Moment{}, errYears
	}
	return Moment{at: at.UTC().Truncate(time.Microsecond)}, nil
}

// ParseDay reads a date without a time.
func ParseDay(text string) (time.Time, error) {
	m, err := Parse(text)
	if err != nil {
		return time.Time{}, err
	}
	if !m.isDate {
		return time.Time{}, errGrammar
	}
	return m.at, nil
}

// Start is the moment as a lower bound, inclusive: a date starts at 00:00 UTC.
func (m Moment) Start() time.Time { return m.at }

// Until is the moment as an upper bound, exclusive: a date includes its whole
// day, a date-time its own microsecond.
func (m Moment) Until() time.Time {
	if m.isDate {
		return m.at.AddDate(0, 0, 1)
	}
	return m.at.Add(time.Microsecond)
}

// Window is a half-open span of time: From is in it, Until is not.
type Window struct {
	From  time.Time
	Until time.Time
}

// Always is the window of all moments.
func Always() Window {
	return Window{From: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}
}
