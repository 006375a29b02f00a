package analytics

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// count is a window being counted, row by row, newest first.
type count struct {
	window timewindow.Window
	// room is how many ids a basis could need; beyond it none are kept.
	room int

	total       int
	ids         []uuid.UUID
	days        []tally // newest first
	byCampaign  map[*Campaign]int
	bySentiment [sentiments]int
}

type tally struct {
	day   Day
	value int
}

func newCount(window timewindow.Window, room int) *count {
	return &count{window: window, room: room, byCampaign: map[*Campaign]int{}}
}

func (c *count) add(row Row, id uuid.UUID) {
	c.total++
	if n := len(c.days); n > 0 && c.days[n-1].day == row.Day {
		c.days[n-1].value++
	} else {
		c.days = append(c.days, tally{row.Day, 1})
	}
	c.byCampaign[row.Campaign]++
	c.bySentiment[row.Sentiment]++
	if len(c.ids) < c.room {
		c.ids = append(c.ids, id)
	}
}

// listed gives the ids to the basis. Past the room there are more of them than
// a basis holds, which is all that it asks.
func (c *count) listed(context.Context, int32) ([]uuid.UUID, error) { return c.ids, nil }

func (c *count) report(s measurement.Statement) Report {
	r := Report{
		Total: c.total, Volume: volume(c.window, c.days), Campaigns: c.campaigns(),
		Sentiment: make([]Point, sentiments), Measurement: s,
	}
	for i, n := range c.bySentiment {
		r.Sentiment[i] = Point{Label: Sentiment(i).String(), Value: n}
	}
	return r
}

// campaigns has the largest first, equal ones by label, then slug.
func (c *count) campaigns() []Point {
	named := make([]*Campaign, 0, len(c.byCampaign))
	for one := range c.byCampaign {
		named = append(named, one)
	}
	slices.SortFunc(named, func(a, b *Campaign) int {
		return cmp.Or(cmp.Compare(c.byCampaign[b], c.byCampaign[a]), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Slug, b.Slug))
	})
	points := make([]Point, len(named))
	for i, one := range named {
		points[i] = Point{Label: one.Label, Value: c.byCampaign[one]}
	}
	return points
}
