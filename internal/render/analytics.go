package render

import (
	"strconv"

	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/auth"
)

// Analytics encodes the analytics response row by row: the rows first, then the
// figures that were counted while they were written. The calls are, in this order, AppendHead,
// AppendRow for each row, EndRows, AppendDay for each day, AppendTail. A row takes a
// thirtieth of the generated types' time (BenchmarkAnalytics).
type Analytics struct {
	// hasItem is set when the current list has an item.
	hasItem bool
	// middles stand between the day and the sentiment of a row, by the number of its campaign.
	middles [][]byte
	// Successive rows share their day.
	day     analytics.Day
	dayText string
}

// NewAnalytics begins a response.
func NewAnalytics() *Analytics { return &Analytics{} }

// AppendHead appends everything before the first row.
func (a *Analytics) AppendHead(b []byte) []byte { return append(b, `{"data":{"rows":[`...) }

// AppendRow appends one row.
func (a *Analytics) AppendRow(b []byte, row analytics.Row) []byte {
	if a.dayText == "" || a.day != row.Day {
		a.day, a.dayText = row.Day, row.Day.String()
	}
	b = append(a.next(b), `{"date":"`...)
	b = append(b, a.dayText...)
	b = append(b, a.campaign(row.Campaign)...)
	b = append(b, row.Sentiment.String()...)
	return append(b, `"}`...)
}

// campaign is the same in all rows of a campaign, and encoded once.
func (a *Analytics) campaign(c *analytics.Campaign) []byte {
	for c.Number >= len(a.middles) {
		a.middles = append(a.middles, nil)
	}
	if a.middles[c.Number] == nil {
		middle := appendText([]byte(`","campaignSlug":`), &c.Slug)
		middle = appendText(append(middle, `,"campaignLabel":`...), &c.Label)
		a.middles[c.Number] = append(middle, `,"sentiment":"`...)
	}
	return a.middles[c.Number]
}

// EndRows appends everything between the last row and the first day.
func (a *Analytics) EndRows(b []byte) []byte {
	a.hasItem = false
	return append(b, `],"volume":[`...)
}

// AppendDay appends one point of the volume.
func (a *Analytics) AppendDay(b []byte, p analytics.Point) []byte { return appendPoint(a.next(b), p) }

// AppendTail appends everything after the last day.
func (a *Analytics) AppendTail(b []byte, report analytics.Report, caller auth.Caller) ([]byte, error) {
	b = appendPoints(append(b, `],"campaigns":[`...), report.Campaigns)
	b = appendPoints(append(b, `],"sentiment":[`...), report.Sentiment)
	b = strconv.AppendInt(append(b, `],"total":`...), int64(report.Total), 10)
	b, err := appendMeta(append(b, `},"meta":`...), meta(caller, report.Total, report.Measurement))
	return append(b, "}\n"...), err
}

// next separates an item from the one before.
func (a *Analytics) next(b []byte) []byte {
	if a.hasItem {
		b = append(b, ',')
	}
	a.hasItem = true
	return b
}

func appendPoints(b []byte, points []analytics.Point) []byte {
	for i, p := range points {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPoint(b, p)
	}
	return b
}

func appendPoint(b []byte, p analytics.Point) []byte {
	b = appendText(append(b, `{"label":`...), &p.Label)
	b = strconv.AppendInt(append(b, `,"value":`...), int64(p.Value), 10)
	return append(b, '}')
}
