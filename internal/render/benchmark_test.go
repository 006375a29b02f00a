package render

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/oapi-codegen/runtime/types"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/interview"
)

// BenchmarkInterviews compares 50 rows as they are appended with the generated types'
// encoding; reading the rows from the database is in neither.
func BenchmarkInterviews(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 8))
	caller := auth.Caller{ClientID: uuid.New(), Scopes: auth.Default()}
	rows := make([]interview.Interview, 50)
	for i := range rows {
		rows[i] = anyInterview(random)
	}
	b.Run("appended", func(b *testing.B) {
		found := interview.List{Interviews: rows}
		for b.Loop() {
			if _, err := InterviewList(found, nil, caller); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("generated", func(b *testing.B) {
		for b.Loop() {
			page := make([]api.Interview, len(rows))
			for i := range rows {
				page[i] = generated(rows[i], caller)
			}
			if _, err := json.Marshal(page); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAnalytics is the same for 1,000 rows of analytics.
func BenchmarkAnalytics(b *testing.B) {
	campaign := &analytics.Campaign{Slug: "winter-launch", Label: "Winter launch"}
	day := analytics.Day(time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	b.Run("appended", func(b *testing.B) {
		var buffer []byte
		for b.Loop() {
			a := NewAnalytics()
			buffer = a.AppendHead(buffer[:0])
			for range 1000 {
				buffer = a.AppendRow(buffer, analytics.Row{Day: day, Campaign: campaign})
			}
		}
	})
	b.Run("generated", func(b *testing.B) {
		for b.Loop() {
			rows := make([]api.AnalyticsPulseRow, 1000)
			for i := range rows {
				rows[i] = api.AnalyticsPulseRow{
					CampaignLabel: campaign.Label, CampaignSlug: campaign.Slug, Sentiment: "unknown",
					Date: types.Date{Time: time.Unix(int64(day)*86400, 0).UTC()},
				}
			}
			if _, err := json.Marshal(rows); err != nil {
				b.Fatal(err)
			}
		}
	})
}
