package analytics

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// count is a window being counted, row by row, newest first.
type count struct {
	window timewindow.Window
	// maxIDs is how many ids a basis could need; further ones are not kept.
	maxIDs int

	total       int
	ids         []uuid.UUID
	days        []tally // newest first
	campaigns   []campaignTally
	bySentiment [sentiments]int
}

type tally struct {
	day   Day
	value int
}

// campaignTally is at the index of its campaign's number; a campaign without rows is nil.
type campaignTally struct {
	campaign *Campaign
	value    int
}

func (c *count) add(row Row, id uuid.UUID) {
	c.total++
	if n := len(c.days); n > 0 && c.days[n-1].day == row.Day {
		c.days[n-1].value++
	} else {
		c.days = append(c.days, tally{row.Day, 1})
	}
	at := &c.campaigns[row.Campaign.Number]
	at.campaign = row.Campaign
	at.value++
	c.bySentiment[row.Sentiment]++
	if len(c.ids) < c.maxIDs {
		c.ids = append(c.ids, id)
	}
}

func (c *count) report(s measurement.Provenance) Report {
	r := Report{
		Total: c.total, Volume: volume(c.window, c.days), Campaigns: c.byCampaign(),
		Sentiment: make([]Point, sentiments), Measurement: s,
	}
	for i, n := range c.bySentiment {
		r.Sentiment[i] = Point{Label: Sentiment(i).String(), Value: n}
	}
	return r
}

// byCampaign has the largest first, equal ones by label, then slug.
func (c *count) byCampaign() []Point {
	met := slices.DeleteFunc(slices.Clone(c.campaigns), func(t campaignTally) bool { return t.value == 0 })
	slices.SortFunc(met, func(a, b campaignTally) int {
		return cmp.Or(cmp.Compare(b.value, a.value),
			cmp.Compare(a.campaign.Label, b.campaign.Label), cmp.Compare(a.campaign.Slug, b.campaign.Slug))
	})
	points := make([]Point, len(met))
	for i, t := range met {
		points[i] = Point{Label: t.campaign.Label, Value: t.value}
	}
	return points
}
