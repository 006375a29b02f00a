package server_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

const acceptedDays = "accepted: YYYY-MM-DD, without a time"

func TestListSynthesis_RefusedParametersOfTheCollection(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	const types = " is available with surface=portal only; without it, type is lane, campaign, home or daily_feed"
	const feedOnly = " goes with type=daily_feed only, not with type="
	const dayOrRange = " does not go together with day; give a day or a range"
	wantRefusals(t, srv, synthesisPath, srv.KeyFor(t, "acme"), map[string]refusalWords{
		"limit=0":      invalidParameter(`limit must be a whole number from 1 to 200, in plain digits, not "0"`),
		"lane_id=":     invalidParameter("lane_id is empty; give a value or leave it out"),
		"type=lanes":   invalidParameter(`type must be one of home, daily_feed, lane, campaign, playbook, creative_concept, not "lanes"`),
		"surface=home": invalidParameter(`surface must be one of portal, not "home"`),
		"campain=x": {"unknown_parameter", "Unknown query parameter",
			`"campain" is not a parameter of this route; it takes campaign, campaign_id, date_from, date_to, day, lane, lane_id, limit, starting_after, surface, type, updated_since`},
		"starting_after=nonsense": {"invalid_cursor", "Invalid cursor", cursorRefused},

		"type=playbook":                       unsupportedParameter("type=playbook" + types),
		"type=creative_concept":               unsupportedParameter("type=creative_concept" + types),
		"lane=checkout":                       unsupportedParameter("lane is available with surface=portal only; without it, filter by lane_id"),
		"type=lane&lane=a":                    unsupportedParameter("lane is available with surface=portal only; without it, filter by lane_id"),
		"campaign=winter":                     unsupportedParameter("campaign is available with surface=portal only; without it, filter by campaign_id"),
		"type=home&day=2026-03-04":            unsupportedParameter("day" + feedOnly + "home"),
		"type=lane&date_from=2026-03-04":      unsupportedParameter("date_from" + feedOnly + "lane"),
		"type=campaign&date_to=2026-03-04":    unsupportedParameter("date_to" + feedOnly + "campaign"),
		"type=home&day=soon":                  unsupportedParameter("day" + feedOnly + "home"),
		"day=2026-03-04&date_from=2026-03-04": unsupportedParameter("date_from" + dayOrRange),
		"day=2026-03-04&date_to=2026-03-04":   unsupportedParameter("date_to" + dayOrRange),

		"day=soon":                    invalidParameter(`day "soon" is not a date or date-time; ` + acceptedDays),
		"day=2026-02-30":              invalidParameter(`day "2026-02-30" is not a real calendar date or time; ` + acceptedDays),
		"day=2026-03-04T00:00":        invalidParameter(`day "2026-03-04T00:00" has a time of day; ` + acceptedDays),
		"date_from=2026-03-04T00:00Z": invalidParameter(`date_from "2026-03-04T00:00Z" has a time of day; ` + acceptedDays),
		"date_to=2026-03-04T23:59:59": invalidParameter(`date_to "2026-03-04T23:59:59" has a time of day; ` + acceptedDays),
		"type=daily_feed&date_from=2026-03-05&date_to=2026-03-04": {"invalid_date_range", "Invalid date range",
			"date_from is later than date_to; swap them or leave one out"},

		"updated_since=soon": invalidUpdatedSince(`updated_since "soon" is not a date or date-time; ` + acceptedMoments),
		"updated_since=2026-01-01T10:00:00+02:00": invalidUpdatedSince(
			`updated_since "2026-01-01T10:00:00 02:00" is not a date or date-time; ` + acceptedMoments + plusHint),
	})
}

func TestListSynthesis_RefusedParametersOfThePortal(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	const dayOrRange = " does not go together with day; give a day or a range"
	const laneID = "lane_id does not go with surface=portal; use type=lane and the lane's slug in lane"
	const campaignID = "campaign_id does not go with surface=portal; use type=campaign and the campaign's slug in campaign"
	const since = "updated_since does not go with surface=portal; leave surface out to see what changed"
	wantRefusals(t, srv, synthesisPath, srv.KeyFor(t, "acme"), map[string]refusalWords{
		"surface=portal&limit=201": invalidParameter(`limit must be a whole number from 1 to 200, in plain digits, not "201"`),
		"surface=portal&q=x": {"unknown_parameter", "Unknown query parameter",
			`"q" is not a parameter of this route; it takes campaign, campaign_id, date_from, date_to, day, lane, lane_id, limit, starting_after, surface, type, updated_since`},
		"surface=portal&starting_after=nonsense": {"invalid_cursor", "Invalid cursor", cursorRefused},

		"surface=portal&lane_id=x":                                           unsupportedParameter(laneID),
		"surface=portal&type=lane&lane_id=x":                                 unsupportedParameter(laneID),
		"surface=portal&type=campaign&campaign_id=x":                         unsupportedParameter(campaignID),
		"surface=portal&updated_since=2026-01-01":                            unsupportedParameter(since),
		"surface=portal&type=home&updated_since=soon":                        unsupportedParameter(since),
		"surface=portal&lane=checkout":                                       unsupportedParameter("lane goes with type=lane only, not with type=home"),
		"surface=portal&type=creative_concept&lane=a":                        unsupportedParameter("lane goes with type=lane only, not with type=creative_concept"),
		"surface=portal&type=lane&campaign=winter":                           unsupportedParameter("campaign goes with type=campaign only, not with type=lane"),
		"surface=portal&type=campaign&lane=checkout":                         unsupportedParameter("lane goes with type=lane only, not with type=campaign"),
		"surface=portal&day=2026-03-04":                                      unsupportedParameter("day goes with type=daily_feed only, not with type=home"),
		"surface=portal&type=lane&date_from=2026-03-04":                      unsupportedParameter("date_from goes with type=daily_feed only, not with type=lane"),
		"surface=portal&type=playbook&date_to=soon":                          unsupportedParameter("date_to goes with type=daily_feed only, not with type=playbook"),
		"surface=portal&type=daily_feed&day=2026-03-04&date_from=2026-03-04": unsupportedParameter("date_from" + dayOrRange),
		"surface=portal&type=daily_feed&day=2026-03-04&date_to=2026-03-04":   unsupportedParameter("date_to" + dayOrRange),

		"surface=portal&type=daily_feed&day=2026-03-04T00:00Z": invalidParameter(
			`day "2026-03-04T00:00Z" has a time of day; ` + acceptedDays),
		"surface=portal&type=daily_feed&date_to=20260304": invalidParameter(
			`date_to "20260304" is not a date or date-time; ` + acceptedDays),
		"surface=portal&type=daily_feed&date_from=2026-03-05&date_to=2026-03-04": {"invalid_date_range", "Invalid date range",
			"date_from is later than date_to; swap them or leave one out"},
	})
}

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
