package render

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// A page of documents has the bytes that the generated types have.
func TestSynthesisCollection_HasTheGeneratedTypesBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	caller := auth.Caller{ClientID: uuid.New()}
	day, cadence, lane := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), `"document":null`, uuid.New()
	for rows := range 4 {
		found := synthesis.DocumentList{Types: synthesis.Collected(), Measurement: anyStatement(random)}
		var want api.SynthesisListResponse
		want.Data = []api.SynthesisItem{}
		for n := range rows {
			d := synthesis.Document{
				ID: uuid.New(), ClientID: caller.ClientID, SynthesisType: string(synthesis.Lane), LaneID: &lane, ContractVersion: "v1",
				Document: json.RawMessage(`{"document":null,"n":[1,2.50]}`), CreatedAt: day, UpdatedAt: day,
			}
			if n == 1 { // the other nulls, and a text that looks like the field
				d.LaneID, d.CampaignID, d.Cadence, d.FeedDate, d.LastRefreshed = nil, &lane, &cadence, &day, &day
			}
			found.Documents = append(found.Documents, d)
			want.Data = append(want.Data, SynthesisDocument(d))
		}
		want.Meta = meta(caller, rows, found.Measurement)
		next := "cursor"
		paged(&want.Meta, &next)
		want.Meta.Types = &[]string{"lane", "campaign", "home", "daily_feed"}
		body, err := SynthesisCollection(found, &next, caller)
		wantSame(t, body, err, want)
	}
}

// A page of campaigns has them too.
func TestCampaignList_HasTheGeneratedTypesBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	caller, goal, created := auth.Caller{ClientID: uuid.New()}, "<a> & b", time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	found := campaign.List{Measurement: anyStatement(random)}
	var want api.CampaignListResponse
	for n := range 3 {
		c := campaign.Campaign{ID: uuid.New(), ClientID: caller.ClientID, Slug: "one", KeyQuestions: json.RawMessage(`[]`)}
		if n == 1 {
			c.Goal, c.CreatedAt, c.KeyQuestions = &goal, &created, json.RawMessage(`[{"id":"1","question":"a \" , b"}]`)
		}
		found.Campaigns = append(found.Campaigns, c)
		want.Data = append(want.Data, Campaign(c))
	}
	want.Meta = meta(caller, 3, found.Measurement)
	next := "after 3"
	paged(&want.Meta, &next)
	body, err := CampaignList(found, &next, caller)
	wantSame(t, body, err, want)
}

func TestAppendWith_APlaceThatIsNotThereIsAnError(t *testing.T) {
	if got, err := appendWith(nil, map[string]any{"a": 1}, stored{"a", []byte("2")}); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}
