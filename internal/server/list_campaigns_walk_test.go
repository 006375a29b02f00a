package server_test

import (
	"cmp"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// campaignRow is what the oracle needs of a seeded campaign.
type campaignRow struct {
	id, status       string
	created, updated *time.Time
}

func (r campaignRow) key() string { return r.id }

// seedCampaigns adds n campaigns over few instants, a good part of them without
// a time of creation or of change, and returns them in the contract's order.
func seedCampaigns(t *testing.T, seed *apitest.Seed, random *rand.Rand, client string, n int) []campaignRow {
	t.Helper()
	moment := func() *time.Time {
		if random.IntN(4) == 0 {
			return nil
		}
		at := apitest.At("2026-03-01").Add(time.Duration(random.IntN(4)) * 36 * time.Hour).
			Add(time.Duration(random.IntN(2)) * time.Microsecond)
		switch random.IntN(10) { // the edges of what import accepts
		case 0:
			at = apitest.At("0001-01-01")
		case 1:
			at = apitest.At("9999-12-31T23:59:59.999999Z")
		}
		return &at
	}
	rows := make([]campaignRow, n)
	for i := range rows {
		r := campaignRow{status: []string{"live", "draft", "ended"}[random.IntN(3)], created: moment(), updated: moment()}
		r.id = seed.Campaign(t, client, apitest.Fields{
			"launch_status": r.status, "created_at": r.created, "updated_at": r.updated,
		}).String()
		rows[i] = r
	}
	slices.SortFunc(rows, func(a, b campaignRow) int {
		return cmp.Or(compareMissingLast(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	return rows
}

// from reports whether an instant is there, and at or after a bound.
func from(at *time.Time, bound string) bool { return at != nil && !at.Before(apitest.At(bound)) }

// upTo reports whether an instant is there, and before a bound.
func upTo(at *time.Time, bound string) bool { return at != nil && at.Before(apitest.At(bound)) }

// Every walk equals the unpaged order, at every page size and under every
// filter, over equal and over missing times.
func TestListCampaigns_WalksEqualTheOracle(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	random := rand.New(rand.NewPCG(7, 8))
	rows := seedCampaigns(t, seed, random, "acme", 40)
	seedCampaigns(t, seed, random, "globex", 10)
	one := rows[3]

	for query, keep := range map[string]func(campaignRow) bool{
		"":                      func(campaignRow) bool { return true },
		"status=draft":          func(r campaignRow) bool { return r.status == "draft" },
		"status=Draft":          func(campaignRow) bool { return false },
		"campaign_id=" + one.id: func(r campaignRow) bool { return r.id == one.id },
		"campaign_id=nonsense":  func(campaignRow) bool { return false },
		// campaign_id narrows like the other filters and goes together with them.
		"campaign_id=" + strings.ToUpper(one.id) + "&status=" + one.status: func(r campaignRow) bool { return r.id == one.id },
		"campaign_id=" + one.id[:35]:                                       func(campaignRow) bool { return false },
		"campaign_id=" + strings.ReplaceAll(one.id, "-", ""):               func(campaignRow) bool { return false },
		"campaign_id=" + one.id + "&status=none":                           func(campaignRow) bool { return false },
		"campaign_id=" + one.id + "&date_from=2026-03-02&date_to=2026-03-04&updated_since=2026-03-02": func(r campaignRow) bool {
			return r.id == one.id && from(r.created, "2026-03-02") && upTo(r.created, "2026-03-05") && from(r.updated, "2026-03-02")
		},
		"date_from=2026-03-02":     func(r campaignRow) bool { return from(r.created, "2026-03-02") },
		"date_to=2026-03-03":       func(r campaignRow) bool { return upTo(r.created, "2026-03-04") },
		"date_from=0001-01-01":     func(r campaignRow) bool { return r.created != nil },
		"date_to=9999-12-31":       func(r campaignRow) bool { return r.created != nil },
		"updated_since=0001-01-01": func(r campaignRow) bool { return r.updated != nil },
		"updated_since=2026-03-02": func(r campaignRow) bool { return from(r.updated, "2026-03-02") },
		"updated_since=" + url.QueryEscape("2026-03-02T14:00:00.000001+02:00"): func(r campaignRow) bool {
			return from(r.updated, "2026-03-02T12:00:00.000001Z")
		},
		"status=live&date_from=2026-03-02T12:00:00.000001&date_to=2026-03-04&updated_since=2026-03-02T12:00": func(r campaignRow) bool {
			return r.status == "live" && from(r.created, "2026-03-02T12:00:00.000001Z") && upTo(r.created, "2026-03-05") &&
				from(r.updated, "2026-03-02T12:00:00Z")
		},
	} {
		checkWalks(t, srv, campaigns+"?"+query, idsOf(rows, keep))
	}
}
