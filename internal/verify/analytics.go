package verify

import (
	"cmp"
	"slices"
	"time"
)

// analytics is the data of a response of analytics.
type analytics struct {
	Total     *int          `json:"total"`
	Volume    []point       `json:"volume"`
	Campaigns []point       `json:"campaigns"`
	Sentiment []point       `json:"sentiment"`
	Rows      []interviewed `json:"rows"`
}

type point struct {
	Label string `json:"label"`
	Value int    `json:"value"`
}

// interviewed is an interview as a row of analytics.
type interviewed struct {
	Date      string `json:"date"`
	Slug      string `json:"campaignSlug"`
	Label     string `json:"campaignLabel"`
	Sentiment string `json:"sentiment"`
}

// checkAnalytics counts every series from the rows.
func (res *Response) checkAnalytics(r *Report) {
	data := res.analytics
	r.check("total", data.Total != nil && *data.Total == len(data.Rows), "data.total is not the number of rows, %d", len(data.Rows))
	newestFirst := slices.IsSortedFunc(data.Rows, func(x, y interviewed) int { return cmp.Compare(y.Date, x.Date) })
	r.check("order", newestFirst, "the rows are not newest first")
	r.check("volume", isVolume(data.Volume, data.Rows), "the points are not the rows of each day, one day after the other")

	sentiment := []point{{Label: "promoter"}, {Label: "passive"}, {Label: "detractor"}, {Label: "unknown"}}
	for i := range sentiment {
		for _, row := range data.Rows {
			if row.Sentiment == sentiment[i].Label {
				sentiment[i].Value++
			}
		}
	}
	r.check("sentiment", slices.Equal(data.Sentiment, sentiment), "%v is stated, %v is counted", data.Sentiment, sentiment)
	r.check("campaigns", isByCampaign(data.Campaigns, data.Rows), "the points are not the rows of each campaign, the largest first")
}

// isVolume reports whether each day has one point with the number of its rows.
func isVolume(stated []point, rows []interviewed) bool {
	counted := map[string]int{}
	for _, row := range rows {
		counted[row.Date]++
	}
	sum := 0
	var yesterday time.Time
	for i, p := range stated {
		day, err := time.Parse(time.DateOnly, p.Label)
		if err != nil || i > 0 && !day.Equal(yesterday.AddDate(0, 0, 1)) || p.Value != counted[p.Label] {
			return false
		}
		sum, yesterday = sum+p.Value, day
	}
	return sum == len(rows)
}

// isByCampaign reports whether the points of each label are its rows, the largest first.
// Two campaigns may share a label, and a live campaign may have the slug and the label of
// interviews without one, so how a label's rows are divided into points is not checked.
func isByCampaign(stated []point, rows []interviewed) bool {
	left := map[string]int{}
	for _, row := range rows {
		left[row.Label]++
	}
	for _, p := range stated {
		if left[p.Label] -= p.Value; p.Value < 1 || left[p.Label] < 0 {
			return false
		}
		if left[p.Label] == 0 {
			delete(left, p.Label)
		}
	}
	return len(left) == 0 && slices.IsSortedFunc(stated, func(x, y point) int {
		return cmp.Or(cmp.Compare(y.Value, x.Value), cmp.Compare(x.Label, y.Label))
	})
}
