package server_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// document is what the oracle needs of a seeded row.
type document struct {
	id, kind, lane, campaign string
	refreshed, day           *time.Time
	updated                  time.Time
}

func (d document) key() string { return d.id }

// shelf is what documents refer to: two lanes and an invisible one, two campaigns.
type shelf struct{ lanes, campaigns []string }

func newShelf(t *testing.T, seed *apitest.Seed, client string) shelf {
	t.Helper()
	var s shelf
	for _, visible := range []bool{true, true, false} {
		s.lanes = append(s.lanes, seed.Lane(t, client, apitest.Fields{"visible": visible}).String())
	}
	for range 2 {
		s.campaigns = append(s.campaigns, seed.Campaign(t, client, nil).String())
	}
	return s
}

// seedDocuments adds n rows over few instants, with equal and missing ones, and
// returns the visible ones in the contract's order.
func seedDocuments(t *testing.T, seed *apitest.Seed, random *rand.Rand, client string, on shelf, n int) []document {
	t.Helper()
	var visible []document
	for range n {
		d := document{
			kind: []string{"lane", "campaign", "home", "daily_feed", "daily_feed", "playbook"}[random.IntN(6)],
			updated: apitest.At("2026-03-01").Add(time.Duration(random.IntN(3)) * 12 * time.Hour).
				Add(time.Duration(random.IntN(2)) * time.Microsecond),
		}
		fields := apitest.Fields{"synthesis_type": d.kind, "updated_at": d.updated, "last_refreshed": nil}
		if random.IntN(3) > 0 {
			at := []time.Time{apitest.At("0001-01-01"), apitest.At("2026-02-01"), apitest.At("9999-12-31T23:59:59.999999Z")}[random.IntN(3)]
			d.refreshed, fields["last_refreshed"] = &at, at
		}
		if d.kind == "daily_feed" && random.IntN(5) > 0 {
			day := apitest.At("2026-02-01").AddDate(0, 0, random.IntN(5))
			d.day, fields["feed_date"] = &day, day
		}
		if random.IntN(2) == 0 {
			d.lane = on.lanes[random.IntN(len(on.lanes))]
			fields["lane_id"] = d.lane
		}
		if random.IntN(2) == 0 {
			d.campaign = on.campaigns[random.IntN(len(on.campaigns))]
			fields["campaign_id"] = d.campaign
		}
		if random.IntN(8) == 0 {
			fields["status"] = "draft"
		}
		d.id = seed.SynthesisDocument(t, client, fields)
		if fields["status"] == nil && d.kind != "playbook" && d.lane != on.lanes[2] {
			visible = append(visible, d)
		}
	}
	slices.SortFunc(visible, func(a, b document) int {
		return cmp.Or(compareMissingLast(a.refreshed, b.refreshed), b.updated.Compare(a.updated), cmp.Compare(a.id, b.id))
	})
	return visible
}

// Every walk of the collection equals the unpaged order, at every page size and
// under every filter.
func TestListSynthesis_CollectionWalksEqualTheOracle(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	random := rand.New(rand.NewPCG(11, 12))
	on := newShelf(t, seed, "acme")
	rows := seedDocuments(t, seed, random, "acme", on, 90)
	seedDocuments(t, seed, random, "globex", newShelf(t, seed, "globex"), 20)
	lane, campaign := on.lanes[0], on.campaigns[0]

	for query, keep := range map[string]func(document) bool{
		"":                       func(document) bool { return true },
		"type=lane":              func(d document) bool { return d.kind == "lane" },
		"type=daily_feed":        func(d document) bool { return d.kind == "daily_feed" },
		"lane_id=" + lane:        func(d document) bool { return d.lane == lane },
		"lane_id=" + on.lanes[2]: func(document) bool { return false },
		"lane_id=nonsense":       func(document) bool { return false },
		"campaign_id=nonsense":   func(document) bool { return false },
		"campaign_id=" + strings.ToUpper(campaign): func(d document) bool { return d.campaign == campaign },
		"type=campaign&campaign_id=" + campaign:    func(d document) bool { return d.kind == "campaign" && d.campaign == campaign },
		"type=home&lane_id=" + lane:                func(d document) bool { return d.kind == "home" && d.lane == lane },
		"lane_id=" + lane + "&campaign_id=" + campaign: func(d document) bool {
			return d.lane == lane && d.campaign == campaign
		},
		"day=2026-02-03":       func(d document) bool { return day(d) == "2026-02-03" },
		"date_from=2026-02-03": func(d document) bool { return day(d) >= "2026-02-03" },
		"date_to=2026-02-02":   func(d document) bool { return day(d) != "" && day(d) <= "2026-02-02" },
		"date_from=0001-01-01": func(d document) bool { return day(d) != "" },
		"updated_since=2026-03-01T12:00:00.000001Z": func(d document) bool {
			return !d.updated.Before(apitest.At("2026-03-01T12:00:00.000001Z"))
		},
		"type=daily_feed&date_from=2026-02-02&date_to=2026-02-04&updated_since=2026-03-01T12:00": func(d document) bool {
			return day(d) >= "2026-02-02" && day(d) <= "2026-02-04" && !d.updated.Before(apitest.At("2026-03-01T12:00:00Z"))
		},
		"date_from=2026-02-02&lane_id=" + lane: func(d document) bool { return day(d) >= "2026-02-02" && d.lane == lane },
		"date_to=2026-02-04&campaign_id=" + campaign: func(d document) bool {
			return day(d) != "" && day(d) <= "2026-02-04" && d.campaign == campaign
		},
	} {
		checkWalks(t, srv, synthesisPath+"?"+query, idsOf(rows, keep))
	}
}

// day is the row's feed date, empty when it has none.
func day(d document) string {
	if d.day == nil {
		return ""
	}
	return d.day.Format(time.DateOnly)
}

// body is what the oracle needs of a seeded portal body.
type body struct {
	id, kind, lane, campaign string
	day, published           *time.Time
}

func (b body) key() string { return b.id }

// seedBodies adds n bodies over few days and instants, with equal and missing
// ones, and returns the visible ones in the contract's order.
func seedBodies(t *testing.T, seed *apitest.Seed, random *rand.Rand, client string, on shelf, n int) []body {
	t.Helper()
	var visible []body
	for range n {
		b := body{kind: []string{"lane", "campaign", "home", "daily_feed", "playbook", "creative_concept"}[random.IntN(6)]}
		fields := apitest.Fields{"type": b.kind, "published_at": nil}
		if random.IntN(3) > 0 {
			at := apitest.At("0001-01-01").Add(time.Duration(random.IntN(3)) * time.Microsecond)
			b.published, fields["published_at"] = &at, at
		}
		if random.IntN(3) > 0 {
			day := apitest.At([]string{"0001-01-01", "2026-02-01", "2026-02-02", "2026-02-03", "9999-12-31"}[random.IntN(5)])
			b.day, fields["feed_date"] = &day, day
		}
		switch b.kind {
		case "lane", "creative_concept":
			b.lane = on.lanes[random.IntN(len(on.lanes))]
			fields["lane_id"] = b.lane
		case "campaign":
			b.campaign = on.campaigns[random.IntN(len(on.campaigns))]
			fields["campaign_id"] = b.campaign
		}
		if random.IntN(8) == 0 {
			fields["status"] = "archived"
		}
		b.id = seed.PortalDocument(t, client, fields)
		if fields["status"] == nil && b.lane != on.lanes[2] {
			visible = append(visible, b)
		}
	}
	slices.SortFunc(visible, func(a, b body) int {
		return cmp.Or(compareMissingLast(a.day, b.day), compareMissingLast(a.published, b.published), cmp.Compare(a.id, b.id))
	})
	return visible
}

// Every walk of the portal equals the unpaged order.
func TestListSynthesis_PortalWalksEqualTheOracle(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	random := rand.New(rand.NewPCG(13, 14))
	on := newShelf(t, seed, "acme")
	seed.Exec(t, "UPDATE lanes SET slug = 'checkout' WHERE id = $1", on.lanes[0])
	seed.Exec(t, "UPDATE campaigns SET slug = 'winter', launch_status = 'ended' WHERE id = $1", on.campaigns[0])
	rows := seedBodies(t, seed, random, "acme", on, 100)
	seedBodies(t, seed, random, "globex", newShelf(t, seed, "globex"), 20)
	ofDays := func(b body, first, last string) bool {
		return b.kind == "daily_feed" && b.day != nil && !b.day.Before(apitest.At(first)) && !b.day.After(apitest.At(last))
	}
	for query, keep := range map[string]func(body) bool{
		"":                                      func(b body) bool { return b.kind == "home" },
		"&type=home":                            func(b body) bool { return b.kind == "home" },
		"&type=lane":                            func(b body) bool { return b.kind == "lane" },
		"&type=campaign":                        func(b body) bool { return b.kind == "campaign" },
		"&type=playbook":                        func(b body) bool { return b.kind == "playbook" },
		"&type=creative_concept":                func(b body) bool { return b.kind == "creative_concept" },
		"&type=daily_feed":                      func(b body) bool { return b.kind == "daily_feed" },
		"&type=lane&lane=checkout":              func(b body) bool { return b.kind == "lane" && b.lane == on.lanes[0] },
		"&type=campaign&campaign=winter":        func(b body) bool { return b.kind == "campaign" && b.campaign == on.campaigns[0] },
		"&type=daily_feed&day=2026-02-02":       func(b body) bool { return ofDays(b, "2026-02-02", "2026-02-02") },
		"&type=daily_feed&date_from=2026-02-02": func(b body) bool { return ofDays(b, "2026-02-02", "9999-12-31") },
		"&type=daily_feed&date_to=2026-02-02":   func(b body) bool { return ofDays(b, "0001-01-01", "2026-02-02") },
		"&type=daily_feed&date_from=0001-01-01&date_to=9999-12-31": func(b body) bool {
			return ofDays(b, "0001-01-01", "9999-12-31")
		},
	} {
		checkWalks(t, srv, portal+query, idsOf(rows, keep))
	}
}
