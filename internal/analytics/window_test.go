package analytics

import (
	"slices"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/internal/timewindow"
)

func parsed(t *testing.T, text string) *timewindow.Moment {
	t.Helper()
	if text == "" {
		return nil
	}
	m, err := timewindow.Parse(text)
	require.NoError(t, err)
	return &m
}

// Windows are days of UTC, whatever the anchor's zone and whatever its clocks do.
func TestWindowOf(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	// The morning on which New York's clocks go forward, at UTC's late evening before.
	anchor := time.Date(2026, 3, 7, 23, 59, 59, 999999000, time.UTC).In(newYork)
	for _, c := range []struct{ from, to, wantFrom, wantUntil string }{
		{"", "", "2026-02-06T00:00:00Z", "2026-03-08T00:00:00Z"},
		{"2026-03-07", "", "2026-03-07T00:00:00Z", "2026-03-08T00:00:00Z"},
		{"2026-03-07T23:59:59.999999", "", "2026-03-07T23:59:59.999999Z", "2026-03-08T00:00:00Z"},
		{"2026-03-08", "", "2026-03-08T00:00:00Z", "2026-03-08T00:00:00Z"},
		{"2027-01-01", "", "2027-01-01T00:00:00Z", "2026-03-08T00:00:00Z"},
		{"0001-01-01", "", "0001-01-01T00:00:00Z", "2026-03-08T00:00:00Z"},
		{"", "2026-03-31", "2026-03-02T00:00:00Z", "2026-04-01T00:00:00Z"},
		{"", "2026-03-31T00:00Z", "2026-03-02T00:00:00Z", "2026-03-31T00:00:00.000001Z"},
		{"", "2026-03-31T01:00+02:00", "2026-03-01T00:00:00Z", "2026-03-30T23:00:00.000001Z"},
		{"", "2024-03-01", "2024-02-01T00:00:00Z", "2024-03-02T00:00:00Z"},
		{"", "0001-01-05", "0001-01-01T00:00:00Z", "0001-01-06T00:00:00Z"},
		{"", "9999-12-31", "9999-12-02T00:00:00Z", "10000-01-01T00:00:00Z"},
		{"2026-03-01", "2026-03-01", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"},
		{"2026-03-01T10:00", "2026-03-01T10:00", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000001Z"},
		{"2030-01-01", "2031-01-01", "2030-01-01T00:00:00Z", "2031-01-02T00:00:00Z"},
	} {
		w := windowOf(Query{From: parsed(t, c.from), To: parsed(t, c.to)}, anchor)
		check.Equal(t, w.From.UTC().Format(time.RFC3339Nano), c.wantFrom, c.from, c.to)
		check.Equal(t, w.Until.UTC().Format(time.RFC3339Nano), c.wantUntil, c.from, c.to)
	}
}

// A window of up to 366 days has a point each day; a longer one from its first
// day with interviews to its last, and none when it has none.
func TestVolume(t *testing.T) {
	counted := []tally{{dayOf(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC).UnixMicro()), 2}, {dayOf(time.Date(2024, 2, 27, 0, 0, 0, 0, time.UTC).UnixMicro()), 5}}
	for _, c := range []struct {
		from, to    string
		counted     []tally
		days        int
		first, last string
		sum         int
	}{
		{"2024-02-27", "2024-02-29", counted, 3, "2024-02-27", "2024-02-29", 7},
		{"2024-02-27T12:00", "2024-02-29T00:00", counted, 3, "2024-02-27", "2024-02-29", 7},
		{"2024-01-01", "2024-12-31", counted, 366, "2024-01-01", "2024-12-31", 7},
		{"2024-01-01T23:59", "2024-12-31T00:00", counted, 366, "2024-01-01", "2024-12-31", 7},
		{"2024-01-01", "2025-01-01", counted, 3, "2024-02-27", "2024-02-29", 7},
		{"2024-01-01", "2024-12-31", nil, 366, "2024-01-01", "2024-12-31", 0},
		{"2024-01-01", "2025-01-01", nil, 0, "", "", 0},
		{"0001-01-01", "9999-12-31", counted, 3, "2024-02-27", "2024-02-29", 7},
		{"9999-12-31", "9999-12-31", nil, 1, "9999-12-31", "9999-12-31", 0},
	} {
		points := slices.Collect(volume(windowOf(Query{From: parsed(t, c.from), To: parsed(t, c.to)}, time.Now()), c.counted))
		sum := 0
		for i, p := range points {
			sum += p.Value
			if i > 0 && p.Label <= points[i-1].Label {
				t.Errorf("%s to %s: %s comes after %s", c.from, c.to, p.Label, points[i-1].Label)
			}
		}
		if len(points) != c.days || sum != c.sum {
			t.Errorf("%s to %s: %d days with %d interviews, want %d with %d", c.from, c.to, len(points), sum, c.days, c.sum)
			continue
		}
		if c.days > 0 && (points[0].Label != c.first || points[len(points)-1].Label != c.last) {
			t.Errorf("%s to %s: from %s to %s, want from %s to %s", c.from, c.to, points[0].Label, points[len(points)-1].Label, c.first, c.last)
		}
	}
}

// Days before 1970 begin at their midnight too.
func TestDayOf(t *testing.T) {
	for _, text := range []string{"0001-01-01", "1582-10-15", "1969-12-31", "1970-01-01", "2000-02-29", "9999-12-31"} {
		midnight, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		for _, within := range []time.Duration{0, time.Microsecond, 12 * time.Hour, 24*time.Hour - time.Microsecond} {
			check.Equal(t, dayOf(midnight.Add(within).UnixMicro()).String(), text, midnight.Add(within))
		}
	}
}
