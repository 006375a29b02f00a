package analytics

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// Charts show what a data point says, and no campaign that does not exist.
func TestDataPoint_AsChartsShowIt(t *testing.T) {
	t.Parallel()
	zebra, bare := uuid.New(), uuid.New()
	named := newCampaigns()
	named.add(zebra, "z", new("Zebra"))
	named.add(bare, "bare", nil)
	of := func(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: true} }
	score := func(n float64) pgtype.Float8 { return pgtype.Float8{Float64: n, Valid: true} }
	for _, c := range []struct {
		point     dataPoint
		label     string
		sentiment Sentiment
	}{
		{dataPoint{}, "Uncategorized", Unknown}, {dataPoint{campaign: of(zebra), score: score(9)}, "Zebra", Promoter},
		{dataPoint{campaign: of(bare), score: score(7)}, "bare", Passive}, {dataPoint{campaign: of(zebra), score: score(0)}, "Zebra", Detractor},
	} {
		row, err := named.row(&c.point)
		if err != nil {
			t.Fatal(err)
		}
		if row.Campaign.Label != c.label || row.Sentiment != c.sentiment {
			t.Errorf("%+v is shown as %+v of %+v, want %s and %s", c.point, row, row.Campaign, c.label, c.sentiment)
		}
	}
	if _, err := newCampaigns().row(&dataPoint{campaign: of(uuid.New())}); err == nil {
		t.Error("an unknown campaign was taken")
	}
}
