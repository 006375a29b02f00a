package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

type series struct {
	Label string `json:"label"`
	Value int    `json:"value"`
}

type pulse struct {
	Date      string `json:"date"`
	Slug      string `json:"campaignSlug"`
	Label     string `json:"campaignLabel"`
	Sentiment string `json:"sentiment"`
}

// checkAnalytics counts every series anew from the rows.
func (b *body) checkAnalytics(r *Report) error {
	var data struct {
		Total     *int     `json:"total"`
		Volume    []series `json:"volume"`
		Campaigns []series `json:"campaigns"`
		Sentiment []series `json:"sentiment"`
		Rows      []pulse  `json:"rows"`
	}
	if err := json.Unmarshal(b.data, &data); err != nil {
		return fmt.Errorf("data: %w", unreadable(err))
	}
	b.checkMeta(r, len(data.Rows))
	if data.Total == nil {
		r.hold("total", false, "data.total is missing")
	} else {
		r.equal("total", *data.Total, len(data.Rows))
	}
	ids := b.checkBasis(r, &request{route: analyticsRoute})
	if b.meta.Basis != nil {
		r.equal("rows_in_basis", len(data.Rows), len(ids))
	}
	newestFirst := slices.IsSortedFunc(data.Rows, func(x, y pulse) int { return cmp.Compare(y.Date, x.Date) })
	r.hold("order", newestFirst, "the rows are not newest first")
	r.checkVolume(data.Volume, data.Rows)
	r.checkSeries("sentiment", data.Sentiment, bySentiment(data.Rows))
	r.checkSeries("campaigns", data.Campaigns, byCampaign(data.Rows))
	return nil
}

// checkSeries compares a series with the one counted from the rows.
func (r *Report) checkSeries(name string, stated, counted []series) {
	if len(stated) != len(counted) {
		r.hold(name, false, "%d points are stated, %d are counted", len(stated), len(counted))
		return
	}
	for i := range stated {
		if stated[i] != counted[i] {
			r.hold(name, false, "point %d is %q %d, counted is %q %d",
				i, stated[i].Label, stated[i].Value, counted[i].Label, counted[i].Value)
			return
		}
	}
	r.hold(name, true, "")
}

func bySentiment(rows []pulse) []series {
	counted := []series{{Label: "promoter"}, {Label: "passive"}, {Label: "detractor"}, {Label: "unknown"}}
	for _, p := range rows {
		for i := range counted {
			if counted[i].Label == p.Sentiment {
				counted[i].Value++
			}
		}
	}
	return counted
}

// byCampaign counts by slug: two campaigns may share a label.
func byCampaign(rows []pulse) []series {
	labels, values := map[string]string{}, map[string]int{}
	var slugs []string
	for _, p := range rows {
		if values[p.Slug] == 0 {
			slugs = append(slugs, p.Slug)
		}
		labels[p.Slug] = p.Label
		values[p.Slug]++
	}
	slices.SortFunc(slugs, func(x, y string) int {
		return cmp.Or(cmp.Compare(values[y], values[x]), cmp.Compare(labels[x], labels[y]), cmp.Compare(x, y))
	})
	counted := make([]series, len(slugs))
	for i, slug := range slugs {
		counted[i] = series{Label: labels[slug], Value: values[slug]}
	}
	return counted
}

// checkVolume checks one point a day, day after day, with the rows of that day.
func (r *Report) checkVolume(stated []series, rows []pulse) {
	counted := map[string]int{}
	for _, p := range rows {
		counted[p.Date]++
	}
	sum := 0
	var yesterday time.Time
	for i, point := range stated {
		day, err := time.Parse(time.DateOnly, point.Label)
		switch {
		case err != nil || i > 0 && !day.Equal(yesterday.AddDate(0, 0, 1)):
			r.hold("volume", false, "%q is not the day after %s", point.Label, yesterday.Format(time.DateOnly))
			return
		case point.Value != counted[point.Label]:
			r.hold("volume", false, "%d are stated on %s, %d are counted", point.Value, point.Label, counted[point.Label])
			return
		}
		sum, yesterday = sum+point.Value, day
	}
	r.hold("volume", sum == len(rows), "its points sum up to %d, and there are %d rows", sum, len(rows))
}
