package render_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/test/require"
)

// What is appended are the very bytes of the generated types' own encoding, part
// by part, over random windows with names that JSON has to escape. Only the parts'
// order is another: rows come first.
func TestAnalytics_SaysWhatTheContractsTypesSay(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(81, 82))
	campaigns := []*analytics.Campaign{
		{Slug: "uncategorized", Label: "Uncategorized"}, {Number: 3, Slug: "a", Label: `"quoted" \ and <b>&amp;</b>`},
		{Number: 1, Slug: "b\n\t\x01\x7f\b\f", Label: "\u2028\u2029 \U0001F600 é ﬀ \xff\xed\xa0\x80"}, {Number: 70_000, Slug: "a", Label: ""},
	}
	for round := range 50 {
		report, rows, want := randomReport(random, campaigns)
		caller := auth.Caller{ClientID: uuid.New(), Scopes: auth.Default()}
		got := appended(t, report, rows, caller)
		want.Meta = api.Meta{ClientID: caller.ClientID, Count: report.Total, MeasurementMode: api.MeasurementMode(report.Measurement.Mode)}
		if report.Measurement.Mode == measurement.Canonical {
			want.Meta.MeasurementTotalCount = new(int(report.Measurement.Total))
			want.Meta.MeasurementAsOf = new(basis.Timestamp(report.Measurement.AsOf))
			want.Meta.MeasurementContractVersion = new("canonical_measurement.v1")
			want.Meta.MeasurementCountBasis = new("usable_interviews")
			want.Meta.MeasurementOmittedFields = &[]string{"measurement_basis"}
		}
		text, err := json.Marshal(want)
		require.NoError(t, err)
		if got, want := partsOf(t, got), partsOf(t, text); !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d:\n got %q\nwant %q", round, got, want)
		}
	}
}

func appended(t *testing.T, report analytics.Report, rows []analytics.Row, caller auth.Caller) []byte {
	t.Helper()
	a := render.NewAnalytics()
	b := a.AppendHead(nil)
	for _, row := range rows {
		b = a.AppendRow(b, row)
	}
	b = a.EndRows(b)
	for point := range report.Volume {
		b = a.AppendDay(b, point)
	}
	b, err := a.AppendTail(b, report, caller)
	require.NoError(t, err)
	return b
}

// partsOf are the bytes of an answer's parts. Nothing else may stand in it.
func partsOf(t *testing.T, text []byte) map[string]string {
	t.Helper()
	var answer struct {
		Data map[string]json.RawMessage `json:"data"`
		Meta json.RawMessage            `json:"meta"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&answer), text)
	if d.More() {
		t.Fatalf("%q holds more than one value", text)
	}
	parts := map[string]string{"meta": string(answer.Meta)}
	for name, part := range answer.Data {
		parts["data."+name] = string(part)
	}
	return parts
}

func randomReport(random *rand.Rand, campaigns []*analytics.Campaign) (analytics.Report, []analytics.Row, api.InterviewAnalyticsResponse) {
	want := api.InterviewAnalyticsResponse{Data: api.InterviewAnalytics{
		Rows: []api.AnalyticsPulseRow{}, Volume: []api.AnalyticsSeriesPoint{}, Campaigns: []api.AnalyticsSeriesPoint{}, Sentiment: []api.AnalyticsSeriesPoint{},
	}}
	var rows []analytics.Row
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for range random.IntN(20) {
		row := analytics.Row{
			Campaign: campaigns[random.IntN(len(campaigns))], Sentiment: analytics.Sentiment(random.IntN(4)),
			Day: analytics.Day(day.Unix()/86400) - analytics.Day(random.IntN(3)*300),
		}
		rows = append(rows, row)
		want.Data.Rows = append(want.Data.Rows, api.AnalyticsPulseRow{
			Date: openapi_types.Date{Time: row.Day.Start()}, CampaignSlug: row.Campaign.Slug, CampaignLabel: row.Campaign.Label,
			Sentiment: []api.PulseSentiment{
				api.PulseSentimentPromoter, api.PulseSentimentPassive, api.PulseSentimentDetractor, api.PulseSentimentUnknown,
			}[row.Sentiment],
		})
	}
	want.Data.Total = random.IntN(1000)
	report := analytics.Report{Total: want.Data.Total, Measurement: measurement.Provenance{Mode: measurement.Legacy}}
	if random.IntN(2) == 0 {
		report.Measurement = measurement.Provenance{Mode: measurement.Canonical, AsOf: day.Add(time.Microsecond), Total: random.Int64N(1 << 40)}
	}
	var volume []analytics.Point
	for _, series := range []struct {
		from *[]analytics.Point
		to   *[]api.AnalyticsSeriesPoint
	}{{&volume, &want.Data.Volume}, {&report.Campaigns, &want.Data.Campaigns}, {&report.Sentiment, &want.Data.Sentiment}} {
		for range random.IntN(4) {
			p := analytics.Point{Label: campaigns[random.IntN(len(campaigns))].Label, Value: random.IntN(100)}
			*series.from = append(*series.from, p)
			*series.to = append(*series.to, api.AnalyticsSeriesPoint{Label: p.Label, Value: p.Value})
		}
	}
	report.Volume = slices.Values(volume)
	return report, rows, want
}
