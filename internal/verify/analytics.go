package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/clientintel/clientintel/internal/basis"
)

type series struct {
	Label string `json:"label"`
	Value int    `json:"value"`
}

type interviewPoint struct {
	Date      string `json:"date"`
	Slug      string `json:"campaignSlug"`
	Label     string `json:"campaignLabel"`
	Sentiment string `json:"sentiment"`
}

// checkAnalytics counts every series from the rows.
func (res *Response) checkAnalytics(r *Report) error {
	var data struct {
		Total     *int             `json:"total"`
		Volume    []series         `json:"volume"`
		Campaigns []series         `json:"campaigns"`
		Sentiment []series         `json:"sentiment"`
		Rows      []interviewPoint `json:"rows"`
	}
	if err := json.Unmarshal(res.data, &data); err != nil {
		return fmt.Errorf("data: %w", unreadable(err))
	}
	res.checkMeta(r, len(data.Rows))
	r.count("total", "data.total", data.Total, len(data.Rows))
	res.checkBasis(r, basis.Scope{Route: analyticsRoute})
	if res.Meta.Basis != nil {
		r.equal("rows_in_basis", len(data.Rows), len(res.Meta.Basis.IDs))
	}
	newestFirst := slices.IsSortedFunc(data.Rows, func(x, y interviewPoint) int { return cmp.Compare(y.Date, x.Date) })
	r.check("order", newestFirst, "the rows are not newest first")
	r.checkVolume(data.Volume, data.Rows)
	r.checkSeries("sentiment", data.Sentiment, bySentiment(data.Rows))
	r.checkSeries("campaigns", data.Campaigns, byCampaign(data.Rows, data.Campaigns))
	return nil
}

// checkSeries compares a series with the one counted from the rows.
func (r *Report) checkSeries(name string, stated, counted []series) {
	if len(stated) != len(counted) {
		r.check(name, false, "%d points are stated, %d are counted", len(stated), len(counted))
		return
	}
	for i := range stated {
		if stated[i] != counted[i] {
			r.check(name, false, "point %d is %q %d, counted is %q %d",
				i, stated[i].Label, stated[i].Value, counted[i].Label, counted[i].Value)
			return
		}
	}
	r.check(name, true, "")
}

func bySentiment(rows []interviewPoint) []series {
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

// byCampaign counts by slug and label: two campaigns may share a label, and a live
// campaign may have the slug of interviews without one. If it has their label too,
// rows do not tell the two apart: any division of their rows into two stated points
// is then right.
func byCampaign(rows []interviewPoint, stated []series) []series {
	type campaign struct{ label, slug string }
	values := map[campaign]int{}
	for _, p := range rows {
		values[campaign{p.Label, p.Slug}]++
	}
	beyond := map[series]int{} // how often a point is stated beyond what was counted
	for _, point := range stated {
		beyond[point]++
	}
	var counted []series
	for c, n := range values {
		counted = append(counted, series{c.label, n})
		beyond[series{c.label, n}]--
	}
	both := series{"Uncategorized", values[campaign{"Uncategorized", "uncategorized"}]}
	if i := slices.Index(counted, both); i >= 0 && len(stated) == len(counted)+1 {
		part := slices.IndexFunc(stated, func(s series) bool {
			return s.Label == both.Label && 0 < s.Value && s.Value < both.Value && beyond[s] > 0
		})
		if part >= 0 {
			counted[i].Value -= stated[part].Value
			counted = append(counted, stated[part])
		}
	}
	// Points that only the slug would order look the same.
	slices.SortFunc(counted, func(x, y series) int {
		return cmp.Or(cmp.Compare(y.Value, x.Value), cmp.Compare(x.Label, y.Label))
	})
	return counted
}

// checkVolume checks that each day has one point with the number of its rows.
func (r *Report) checkVolume(stated []series, rows []interviewPoint) {
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
			r.check("volume", false, "%q is not the day after %s", point.Label, yesterday.Format(time.DateOnly))
			return
		case point.Value != counted[point.Label]:
			r.check("volume", false, "%d are stated on %s, %d are counted", point.Value, point.Label, counted[point.Label])
			return
		}
		sum, yesterday = sum+point.Value, day
	}
	r.check("volume", sum == len(rows), "its points sum up to %d, and there are %d rows", sum, len(rows))
}
