package timewindow

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01":                          "2026-03-01T00:00:00Z",
		"0001-01-01":                          "0001-01-01T00:00:00Z",
		"9999-12-31":                          "9999-12-31T00:00:00Z",
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
		if got := m.Start().Format(time.RFC3339Nano); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
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

func TestUntil_IncludesTheDayOrTheMicrosecond(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01":                "2026-03-02T00:00:00Z",
		"2026-12-31":                "2027-01-01T00:00:00Z",
		"2026-03-01T10:20:30Z":      "2026-03-01T10:20:30.000001Z",
		"2026-03-01T10:20:30.9999Z": "2026-03-01T10:20:30.999901Z",
	} {
		m, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Until().Format(time.RFC3339Nano); got != want {
			t.Errorf("until %s is %s, want %s", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("2026-03-01")
	f.Add("2026-03-01T10:20:30.123456789+02:00")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(m.Start().Format("2006-01-02T15:04:05.999999Z"))
		if err != nil || !again.Start().Equal(m.Start()) {
			t.Errorf("%q reads as %s, which does not come back", text, m.Start())
		}
	})
}
