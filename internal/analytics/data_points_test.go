package analytics

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// A moment's day is the same, however it is counted.
func TestDataPoint_DayOfAMoment(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1582, 10, 15, 23, 59, 59, 999999000, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1999, 12, 31, 23, 59, 59, 999999000, time.UTC), time.Date(2024, 2, 29, 12, 0, 0, 1000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC),
	} {
		if got := dayOfMicroseconds(at.UnixMicro()); got != dayOf(at) {
			t.Errorf("%s is of %s, want %s", at, got, dayOf(at))
		}
	}
}

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
