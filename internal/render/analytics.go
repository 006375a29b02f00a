package render

import (
	"encoding/json"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/analytics"
)

// Analytics writes the analytics answer as its rows come: rows first, and then
// what was counted on the way.
type Analytics struct {
	names map[*analytics.Campaign]string
	rows  int
	// Neighbours share their day.
	day     analytics.Day
	dayText string
}

// NewAnalytics begins an answer.
func NewAnalytics() *Analytics { return &Analytics{names: map[*analytics.Campaign]string{}} }

// AppendHead appends what comes before the first row.
func (a *Analytics) AppendHead(b []byte) []byte { return append(b, `{"data":{"rows":[`...) }

// AppendRow appends one row.
func (a *Analytics) AppendRow(b []byte, row analytics.Row) ([]byte, error) {
	if a.rows > 0 {
		b = append(b, ',')
	}
	if a.rows == 0 || a.day != row.Day {
		a.day, a.dayText = row.Day, row.Day.String()
	}
	a.rows++
	names, known := a.names[row.Campaign]
	if !known {
		text, err := json.Marshal(struct {
			CampaignSlug  string `json:"campaignSlug"`
			CampaignLabel string `json:"campaignLabel"`
		}{row.Campaign.Slug, row.Campaign.Label})
		if err != nil {
			return b, err
		}
		names = string(text[1 : len(text)-1])
		a.names[row.Campaign] = names
	}
	b = append(b, `{"date":"`...)
	b = append(b, a.dayText...)
	b = append(b, `",`...)
	b = append(b, names...)
	b = append(b, `,"sentiment":"`...)
	b = append(b, row.Sentiment.String()...)
	return append(b, `"}`...), nil
}

// AppendTail appends everything after the last row.
func (a *Analytics) AppendTail(b []byte, report analytics.Report, caller access.Caller) ([]byte, error) {
	b = append(b, ']')
	for _, part := range []struct {
		name  string
		value any
	}{
		{"volume", points(report.Volume)},
		{"campaigns", points(report.Campaigns)},
		{"sentiment", points(report.Sentiment)},
		{"total", report.Total},
	} {
		text, err := json.Marshal(part.value)
		if err != nil {
			return b, err
		}
		b = append(b, `,"`+part.name+`":`...)
		b = append(b, text...)
	}
	meta, err := json.Marshal(meta(caller, report.Total, report.Measurement))
	if err != nil {
		return b, err
	}
	b = append(b, `},"meta":`...)
	b = append(b, meta...)
	return append(b, "}\n"...), nil
}

func points(series []analytics.Point) []api.AnalyticsSeriesPoint {
	out := make([]api.AnalyticsSeriesPoint, len(series))
	for i, p := range series {
		out[i] = api.AnalyticsSeriesPoint{Label: p.Label, Value: p.Value}
	}
	return out
}
