package analytics

import (
	"iter"
	"time"

	"github.com/clientintel/clientintel/internal/timewindow"
)

// defaultDays is the portal's window.
const defaultDays = 30

// maxFilledDays is the longest window whose every day is a point.
const maxFilledDays = 366

// windowOf is the window of a query at the anchor, the moment of reading. Without an end
// it ends with the anchor's day, without a start it has 30 days.
func windowOf(q Query, anchor time.Time) timewindow.Window {
	w := timewindow.Window{Until: (dayOf(anchor.UnixMicro()) + 1).Start()}
	if q.To != nil {
		w.Until = q.To.Until()
	}
	if q.From != nil {
		w.From = q.From.Start()
	} else {
		w.From = (lastDay(w) + 1 - defaultDays).Start()
		if first := timewindow.Always().From; w.From.Before(first) {
			w.From = first
		}
	}
	return w
}

// lastDay is the last day that the window touches.
func lastDay(w timewindow.Window) Day { return dayOf(w.Until.UnixMicro() - 1) }

// volume is the series of days, those without interviews included. A window
// longer than a year is filled between its first and its last day with any.
func volume(w timewindow.Window, newestFirst []tally) iter.Seq[Point] {
	none := func(func(Point) bool) {}
	if !w.From.Before(w.Until) {
		return none
	}
	first, last := dayOf(w.From.UnixMicro()), lastDay(w)
	if last-first+1 > maxFilledDays {
		if len(newestFirst) == 0 {
			return none
		}
		first, last = newestFirst[len(newestFirst)-1].day, newestFirst[0].day
	}
	return func(yield func(Point) bool) {
		rest := newestFirst
		for day := first; day <= last; day++ {
			p := Point{Label: day.String()}
			if n := len(rest); n > 0 && rest[n-1].day == day {
				p.Value, rest = rest[n-1].value, rest[:n-1]
			}
			if !yield(p) {
				return
			}
		}
	}
}
