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

// row is what the oracle needs of a seeded interview.
type row struct {
	id, campaign, status string
	at                   time.Time
}

func (r row) key() string { return r.id }

// seedRows adds n interviews with many equal timestamps, over two campaigns, no
// campaign and a campaign that is not live, and returns the usable ones in the
// contract's order.
func seedRows(t *testing.T, seed *apitest.Seed, random *rand.Rand, client string, n int) []row {
	t.Helper()
	campaigns := []string{"", seed.Campaign(t, client, nil).String(), seed.Campaign(t, client, nil).String()}
	dead := seed.Campaign(t, client, apitest.Fields{"launch_status": "ended"}).String()
	var usable []row
	for range n {
		r := row{
			at:       apitest.At("2026-03-01").Add(time.Duration(random.IntN(6)) * 36 * time.Hour).Add(time.Duration(random.IntN(2)) * time.Microsecond),
			campaign: campaigns[random.IntN(len(campaigns))],
			status:   []string{"completed", "analyzed"}[random.IntN(2)],
		}
		switch random.IntN(20) { // the edges of what import accepts
		case 0:
			r.at = apitest.At("0001-01-01")
		case 1:
			r.at = apitest.At("9999-12-31T23:59:59.999999Z")
		}
		fields := apitest.Fields{"created_at": r.at, "status": r.status}
		if r.campaign != "" {
			fields["campaign_id"] = r.campaign
		}
		isUsable := true
		switch random.IntN(12) {
		case 0:
			fields["campaign_id"], isUsable = dead, false
		case 1:
			fields["is_test"], isUsable = true, false
		}
		r.id = seed.Interview(t, client, fields)
		if isUsable {
			usable = append(usable, r)
		}
	}
	slices.SortFunc(usable, func(a, b row) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.id, b.id)) })
	return usable
}

// Every walk equals the unpaged order, at every page size and under every
// filter, over rows with equal timestamps.
func TestListInterviews_WalksEqualTheOracle(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	// Of a canonical client a first page that its basis contradicts is refused.
	seed.Exec(t, "UPDATE clients SET measurement_mode = 'canonical', measurement_contract_version = 'canonical_measurement.v1'")
	random := rand.New(rand.NewPCG(1, 2))
	rows := seedRows(t, seed, random, "acme", 60)
	seedRows(t, seed, random, "globex", 20)
	campaign := rows[slices.IndexFunc(rows, func(r row) bool { return r.campaign != "" })].campaign

	for query, keep := range map[string]func(row) bool{
		"":                        func(row) bool { return true },
		"status=analyzed":         func(r row) bool { return r.status == "analyzed" },
		"status=unheard_of":       func(row) bool { return false },
		"campaign_id=" + campaign: func(r row) bool { return r.campaign == campaign },
		"campaign_id=" + strings.ToUpper(campaign): func(r row) bool { return r.campaign == campaign },
		"campaign_id=nonsense":                     func(row) bool { return false },
		"campaign_id=" + campaign + "&status=completed": func(r row) bool {
			return r.campaign == campaign && r.status == "completed"
		},
		"date_from=2026-03-04": func(r row) bool { return !r.at.Before(apitest.At("2026-03-04")) },
		"date_to=2026-03-04":   func(r row) bool { return r.at.Before(apitest.At("2026-03-05")) },
		"date_from=2026-03-02T12:00:00.000001&date_to=" + url.QueryEscape("2026-03-05T12:00:00+12:00"): func(r row) bool {
			return !r.at.Before(apitest.At("2026-03-02T12:00:00.000001Z")) && !r.at.After(apitest.At("2026-03-05T00:00:00Z"))
		},
		"campaign_id=" + campaign + "&date_from=2026-03-02T12:00:00": func(r row) bool {
			return r.campaign == campaign && !r.at.Before(apitest.At("2026-03-02T12:00:00Z"))
		},
	} {
		checkWalks(t, srv, interviews+"?"+query, idsOf(rows, keep))
	}
}
