package analytics

import (
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
)

// Charts show what a data point says, and no campaign that does not exist.
func TestDataPoint_AsChartsShowIt(t *testing.T) {
	t.Parallel()
	zebra, bare := uuid.New(), uuid.New()
	named := newCampaigns()
	named.add(zebra, "z", new("Zebra"))
	named.add(bare, "bare", nil)
	for _, c := range []struct {
		point     db.ListDataPointsRow
		label     string
		sentiment Sentiment
	}{
		{db.ListDataPointsRow{}, "Uncategorized", Unknown},
		{db.ListDataPointsRow{CampaignID: &zebra, NPSScore: new(9.0)}, "Zebra", Promoter},
		{db.ListDataPointsRow{CampaignID: &bare, NPSScore: new(7.0)}, "bare", Passive},
		{db.ListDataPointsRow{CampaignID: &zebra, NPSScore: new(0.0)}, "Zebra", Detractor},
	} {
		row, err := named.row(c.point)
		if err != nil {
			t.Fatal(err)
		}
		if row.Campaign.Label != c.label || row.Sentiment != c.sentiment {
			t.Errorf("%+v is shown as %+v of %+v, want %s and %s", c.point, row, row.Campaign, c.label, c.sentiment)
		}
	}
	if _, err := newCampaigns().row(db.ListDataPointsRow{CampaignID: new(uuid.New())}); err == nil {
		t.Error("an unknown campaign was taken")
	}
}
