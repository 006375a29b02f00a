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
	// heads are the beginnings of rows, by the number of their campaign.
	heads [][]byte
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
	b = a.next(b)
	b = append(b, a.head(row.Campaign)...)
	b = append(b, a.dayText...)
	b = append(b, `","sentiment":"`...)
	b = append(b, row.Sentiment.String()...)
	return append(b, `"}`...)
}

// head is the same for all rows of a campaign, and encoded once.
func (a *Analytics) head(c *analytics.Campaign) []byte {
	for c.Number >= len(a.heads) {
		a.heads = append(a.heads, nil)
	}
	if a.heads[c.Number] == nil {
		head := appendText([]byte(`{"campaignLabel":`), &c.Label)
		head = appendText(append(head, `,"campaignSlug":`...), &c.Slug)
		a.heads[c.Number] = append(head, `,"date":"`...)
	}
	return a.heads[c.Number]
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
