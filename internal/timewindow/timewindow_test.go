package timewindow

import (
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01":                          "2026-03-01T00:00:00Z",
		"0001-01-01":                          "0001-01-01T00:00:00Z",
		"9999-12-31":                          "9999-12-31T00:00:00Z",
		"0001-01-01T00:00Z":                   "0001-01-01T00:00:00Z",
		"0001-01-01T01:00+01:00":              "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59.999999999Z":      "9999-12-31T23:59:59.999999Z",
		"9999-12-31T22:59-01:00":              "9999-12-31T23:59:00Z",
		"2024-02-29":                          "2024-02-29T00:00:00Z",
		"2026-03-01T10:20":                    "2026-03-01T10:20:00Z",
		"2026-03-01T10:20Z":                   "2026-03-01T10:20:00Z",
		"2026-03-01T10:20:30":                 "2026-03-01T10:20:30Z",
		"2026-03-01T10:20:30.5Z":              "2026-03-01T10:20:30.5Z",
		"2026-03-01T10:20:30.123456789Z":      "2026-03-01T10:20:30.123456Z",
		"2026-03-01T10:20:30.999999999+02:00": "2026-03-01T08:20:30.999999Z",
		"2026-03-01T00:20-05:30":              "2026-03-01T05:50:00Z",
		"2026-03-01T10:20:30+00:00":           "2026-03-01T10:20:30Z",
	} {
		m, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		check.Equal(t, m.Start().Format(time.RFC3339Nano), want, text)
	}
}

func TestParse_Refuses(t *testing.T) {
	for _, text := range []string{
		"", "yesterday", "2026-3-1", "2026-02-30", "2023-02-29", "0000-01-01", "10000-01-01", "2026-13-01", "2026-00-10",
		"2026-03-01T24:00", "2026-03-01T10:60", "2026-03-01T10:20:60Z", "2026-03-01T10", "2026-03-01T10:20:30.Z",
		"2026-03-01T10:20:30.1234567890Z", "2026-03-01T10:20 02:00", "2026-03-01T10:20z", "2026-03-01t10:20",
		"2026-03-01 10:20", "2026-03-01T10:20+2", "2026-03-01T10:20+24:00", "2026-03-01Z", " 2026-03-01", "2026-03-01\n",
		"0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00", "２０２６-03-01",
	} {
		if m, err := Parse(text); err == nil {
			t.Errorf("%q was taken as %s", text, m.Start())
		}
	}
}

// An offset can lead a real date out of the years that are accepted.
func TestParse_TellsAYearThatIsOutOfRange(t *testing.T) {
	for _, text := range []string{"0001-01-01T00:00+00:01", "9999-12-31T23:59:59.999999-00:01"} {
		if _, err := Parse(text); err == nil || err.Error() != "is outside the years 0001 to 9999 in UTC" {
			t.Errorf("Parse(%q) fails with %v", text, err)
		}
	}
}

func TestUntil_IncludesTheDayOrTheMicrosecond(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01":                "2026-03-02T00:00:00Z",
		"2026-12-31":                "2027-01-01T00:00:00Z",
		"2026-03-01T10:20:30Z":      "2026-03-01T10:20:30.000001Z",
		"2026-03-01T10:20:30.9999Z": "2026-03-01T10:20:30.999901Z",
	} {
		m, err := Parse(text)
		require.NoError(t, err)
		check.Equal(t, m.Until().Format(time.RFC3339Nano), want, text)
	}
}

func TestParseDay_TakesADateOnly(t *testing.T) {
	if day, err := ParseDay("2026-03-01"); err != nil || !day.Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the day is %s (%v)", day, err)
	}
	for _, text := range []string{"2026-03-01T00:00Z", "2026-02-30", ""} {
		if day, err := ParseDay(text); err == nil {
			t.Errorf("%q was taken as %s", text, day)
		}
	}
}

// The window of all moments has the first and the last that Parse accepts.
func TestAlways_HasEveryMoment(t *testing.T) {
	for _, text := range []string{"0001-01-01", "9999-12-31T23:59:59.999999Z"} {
		m, err := Parse(text)
		require.NoError(t, err)
		if w := Always(); m.Start().Before(w.From) || m.Until().After(w.Until) {
			t.Errorf("%s to %s does not have %s", w.From, w.Until, text)
		}
	}
	if w := Always(); w.From.Year() != 1 || w.Until.Year() != 10000 {
		t.Errorf("the window is %s to %s", w.From, w.Until)
	}
}

// What is accepted comes back in another spelling, lies in PostgreSQL's reach,
// bounds a window that holds something, and is what the standard library reads.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"2026-03-01", "2026-03-01T10:20:30.123456789+02:00", "2026-03-01T10:20", "2024-02-29T00:00-14:59", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
		"2026-02-30", "2026-03-01T24:00", "2026-03-01T10:20:60Z", "0000-01-01", "2026-03-01 10:20", "２０２６-03-01",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			if day, err := ParseDay(text); err == nil {
				t.Errorf("%q is no moment, and a day: %s", text, day)
			}
			return
		}
		if m.Start().Year() < 1 || m.Start().Year() > 9999 || m.Start().Nanosecond()%1000 != 0 || !m.Until().After(m.Start()) {
			t.Errorf("%q reads from %s until %s", text, m.Start(), m.Until())
		}
		again, err := Parse(m.Start().Format("2006-01-02T15:04:05.999999Z"))
		if err != nil || !again.Start().Equal(m.Start()) {
			t.Errorf("%q reads as %s, which does not come back", text, m.Start())
		}
		if day, err := ParseDay(text); (err == nil) != (len(text) == len(time.DateOnly)) || err == nil && !day.Equal(m.Start()) {
			t.Errorf("%q is %s as a moment and %s as a day (%v)", text, m.Start(), day, err)
		}
		for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.RFC3339} {
			if want, err := time.Parse(layout, text); err == nil {
				if !m.Start().Equal(want.Truncate(time.Microsecond)) {
					t.Errorf("%q reads as %s, want %s", text, m.Start(), want)
				}
				return
			}
		}
		t.Errorf("%q is taken as %s; the standard library knows no such moment", text, m.Start())
	})
}
