package server_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// updated_since is inclusive to the microsecond, under every other filter too.
func TestListSynthesis_UpdatedSinceBoundaries(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	lane, campaign := seed.Lane(t, "acme", nil), seed.Campaign(t, "acme", nil)
	changed := seed.SynthesisDocument(t, "acme", apitest.Fields{
		"synthesis_type": "daily_feed", "lane_id": lane, "campaign_id": campaign, "feed_date": apitest.At("2026-03-01"),
		"updated_at": apitest.At("2026-03-02T00:00:00.000001Z"),
	})
	for _, filter := range []string{
		"", "&type=daily_feed", "&day=2026-03-01", "&lane_id=" + lane.String(), "&campaign_id=" + campaign.String(),
	} {
		key := srv.Issue(t, keyRequest("acme")).Key
		for since, matches := range map[string]bool{
			"2026-03-02":                         true,
			"2026-03-03":                         false,
			"2026-03-02T00:00:00.000001Z":        true,
			"2026-03-02T00:00:00.000002":         false,
			"2026-03-02T02:00:00.000001%2B02:00": true,
			"2026-03-02T02:00:00.000002%2B02:00": false,
			"0001-01-01":                         true,
		} {
			want := []string{}
			if matches {
				want = append(want, changed)
			}
			srv.Get(t, synthesisPath+"?updated_since="+since+filter, key).WantIDs(t, want...)
		}
	}
}
