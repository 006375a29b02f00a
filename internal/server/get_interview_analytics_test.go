package server_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

const analyticsPath = "/api/client/v1/analytics/interviews"

type point struct {
	Label string `json:"label"`
	Value int    `json:"value"`
}

type dataPoint struct {
	Date          string `json:"date"`
	CampaignSlug  string `json:"campaignSlug"`
	CampaignLabel string `json:"campaignLabel"`
	Sentiment     string `json:"sentiment"`
}

type analyticsBody struct {
	Data struct {
		Total     int         `json:"total"`
		Volume    []point     `json:"volume"`
		Campaigns []point     `json:"campaigns"`
		Sentiment []point     `json:"sentiment"`
		Rows      []dataPoint `json:"rows"`
	} `json:"data"`
	Meta struct {
		Count int `json:"count"`
	} `json:"meta"`
}

func analyticsOf(t *testing.T, a *apitest.Response) analyticsBody {
	t.Helper()
	var body analyticsBody
	a.WantStatus(t, 200).Decode(t, &body)
	return body
}

func sum(points []point) int {
	total := 0
	for _, p := range points {
		total += p.Value
	}
	return total
}

// charted is what the oracle needs of an interview.
type charted struct {
	at          time.Time
	id          string
	slug, label string
	score       any
}

func (c charted) sentiment() string {
	score, known := c.score.(float64)
	switch {
	case !known:
		return "unknown"
	case score >= 9:
		return "promoter"
	case score >= 7:
		return "passive"
	}
	return "detractor"
}

func seedCharted(t *testing.T, seed *apitest.Seed, client string, n int, random *rand.Rand) []charted {
	t.Helper()
	type named struct{ id, slug, label string }
	campaigns := []named{{"", "uncategorized", "Uncategorized"}}
	for i, label := range []any{"Zebra", "apple", nil, "Élan", "apple"} {
		slug := fmt.Sprintf("c%d-%s", i, client)
		name, _ := label.(string)
		if label == nil {
			name = slug
		}
		id := seed.Campaign(t, client, apitest.Fields{"slug": slug, "display_name": label}).String()
		campaigns = append(campaigns, named{id, slug, name})
	}
	ended := seed.Campaign(t, client, apitest.Fields{"slug": "ended-" + client, "launch_status": "ended"}).String()
	var all []charted
	for range n {
		c := campaigns[random.IntN(len(campaigns))]
		one := charted{
			at:   apitest.At("2026-03-01").Add(time.Duration(random.IntN(20*24*60)) * time.Minute),
			slug: c.slug, label: c.label,
			score: []any{nil, 0.0, 6.0, 6.99, 7.0, 8.999, 9.0, 10.0}[random.IntN(8)],
		}
		fields := apitest.Fields{"created_at": one.at, "nps_score": one.score}
		if c.id != "" {
			fields["campaign_id"] = c.id
		}
		hidden := random.IntN(8) == 0
		if hidden {
			fields["campaign_id"] = ended
		}
		one.id = seed.Interview(t, client, fields)
		if !hidden {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b charted) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.id, b.id)) })
	return all
}

// expected is the response as the decisions write it, computed the plain way.
func expected(all []charted, first, last string, keep func(charted) bool) analyticsBody {
	var want analyticsBody
	want.Data.Rows, want.Data.Campaigns = []dataPoint{}, []point{}
	days, slugs := map[string]int{}, map[[2]string]int{}
	feelings := map[string]int{}
	for _, c := range all {
		if !keep(c) {
			continue
		}
		day := c.at.Format(time.DateOnly)
		want.Data.Rows = append(want.Data.Rows, dataPoint{day, c.slug, c.label, c.sentiment()})
		days[day]++
		slugs[[2]string{c.label, c.slug}]++
		feelings[c.sentiment()]++
	}
	want.Data.Total, want.Meta.Count = len(want.Data.Rows), len(want.Data.Rows)
	for day := apitest.At(first); !day.After(apitest.At(last)); day = day.AddDate(0, 0, 1) {
		label := day.Format(time.DateOnly)
		want.Data.Volume = append(want.Data.Volume, point{label, days[label]})
	}
	byCount := func(a, b [2]string) int {
		return cmp.Or(slugs[b]-slugs[a], cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	}
	for _, name := range slices.SortedFunc(maps.Keys(slugs), byCount) {
		want.Data.Campaigns = append(want.Data.Campaigns, point{name[0], slugs[name]})
	}
	for _, s := range []string{"promoter", "passive", "detractor", "unknown"} {
		want.Data.Sentiment = append(want.Data.Sentiment, point{s, feelings[s]})
	}
	return want
}

// Every figure equals the oracle's, over random interviews and every kind of
// window, and the sums agree.
func TestAnalytics_EqualsTheOracle(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	random := rand.New(rand.NewPCG(9, 10))
	for _, client := range []string{"acme", "globex"} {
		all := seedCharted(t, seed, client, 120, random)
		key := srv.KeyFor(t, client)
		for query, c := range map[string]struct {
			first, last string
			keep        func(charted) bool
		}{
			"date_from=2026-03-05&date_to=2026-03-15": {"2026-03-05", "2026-03-15", func(c charted) bool {
				return !c.at.Before(apitest.At("2026-03-05")) && c.at.Before(apitest.At("2026-03-16"))
			}},
			"date_to=2026-03-12": {"2026-02-11", "2026-03-12", func(c charted) bool { return c.at.Before(apitest.At("2026-03-13")) }},
			"date_from=2026-03-05T10:00&date_to=2026-03-06T11:30Z": {"2026-03-05", "2026-03-06", func(c charted) bool {
				return !c.at.Before(apitest.At("2026-03-05T10:00:00Z")) && !c.at.After(apitest.At("2026-03-06T11:30:00Z"))
			}},
			"campaign=c0-" + client + "&date_from=2026-03-01&date_to=2026-03-25": {"2026-03-01", "2026-03-25", func(c charted) bool { return c.slug == "c0-"+client }},
			"campaign=ended-" + client + "&date_to=2026-03-25":                   {"2026-02-24", "2026-03-25", func(charted) bool { return false }},
			"campaign=unheard-of&date_to=2026-03-25":                             {"2026-02-24", "2026-03-25", func(charted) bool { return false }},
			"campaign=uncategorized&date_to=2026-03-25":                          {"2026-02-24", "2026-03-25", func(charted) bool { return false }},
			// Longer than a year: from the first day with interviews to the last.
			"date_from=2020-01-01&date_to=2030-01-01": {all[len(all)-1].at.Format(time.DateOnly), all[0].at.Format(time.DateOnly), func(charted) bool { return true }},
		} {
			got := analyticsOf(t, srv.Get(t, analyticsPath+"?"+query, key))
			if want := expected(all, c.first, c.last, c.keep); !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s:\n got %+v\nwant %+v", client, query, got, want)
			}
			if d := got.Data; sum(d.Volume) != d.Total || sum(d.Campaigns) != d.Total || sum(d.Sentiment) != d.Total || len(d.Rows) != d.Total {
				t.Errorf("%s %s: the sums differ from the total %d", client, query, d.Total)
			}
		}
	}
}

// Without bounds the window is the 30 UTC days that end today, today included.
func TestAnalytics_DefaultWindow(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for _, client := range []string{"acme", "globex"} {
		for _, at := range []time.Time{
			today, today.AddDate(0, 0, 1).Add(-time.Microsecond), today.AddDate(0, 0, -29),
			today.AddDate(0, 0, -29).Add(-time.Microsecond), today.AddDate(0, 0, 2),
		} {
			seed.Interview(t, client, apitest.Fields{"created_at": at})
		}
		got := analyticsOf(t, srv.Get(t, analyticsPath, srv.KeyFor(t, client)))
		if got.Data.Total != 3 || len(got.Data.Volume) != 30 || got.Data.Volume[29].Label != today.Format(time.DateOnly) {
			t.Errorf("%s: total %d over %d days to %s, want 3 over 30 to today", client, got.Data.Total, len(got.Data.Volume), got.Data.Volume[len(got.Data.Volume)-1].Label)
		}
		future := analyticsOf(t, srv.Get(t, analyticsPath+"?date_from="+today.AddDate(0, 0, 2).Format(time.DateOnly), srv.KeyFor(t, client)))
		if future.Data.Total != 0 || len(future.Data.Volume) != 0 || len(future.Data.Sentiment) != 4 {
			t.Errorf("%s: a window that starts after today holds %+v", client, future.Data)
		}
	}
}

func TestAnalytics_DeclaredRefusals(t *testing.T) {
	t.Parallel()
	checkDeclaredRefusals(t, analyticsPath, auth.ReadInterviewsMetadata)
}

// The basis names the window's interviews, whatever else the client has, and is
// left out where there are more than a basis may name.
func TestAnalytics_Measurement(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.BasisMaxIDs = 10 })
	var ids []string
	for n := range 11 {
		ids = append(ids, seed.Interview(t, "globex", apitest.Fields{"created_at": apitest.At("2026-03-01").AddDate(0, 0, n)}))
	}
	seed.Interview(t, "acme", nil)
	key, client := srv.KeyFor(t, "globex"), seed.Clients["globex"].String()
	m, b := measuredOf(t, srv.Get(t, analyticsPath+"?date_to=2026-03-10&date_from=2026-03-01T00%3A00", key))
	want := slices.Clone(ids[:10])
	slices.Sort(want)
	if b == nil || !slices.Equal(b.IDs, want) || b.Count != 10 || *m.Total != 11 || len(m.Omitted) != 0 {
		t.Fatalf("measured %+v on %+v, want the basis of %v", m, b, want)
	}
	if got := hexSHA256(`{"client_id":"` + client + `","filters":{"date_from":"2026-03-01T00:00","date_to":"2026-03-10"},"route":"/analytics/interviews"}`); b.ScopeHash != got {
		t.Errorf("scope_hash %s, want %s", b.ScopeHash, got)
	}
	m, b = measuredOf(t, srv.Get(t, analyticsPath+"?date_to=2026-03-11", key))
	if b != nil || !slices.Equal(m.Omitted, []string{"measurement_basis"}) || *m.Total != 11 {
		t.Errorf("beyond the cap: measured %+v on %v", m, b)
	}
	m, b = measuredOf(t, srv.Get(t, analyticsPath+"?date_to=2026-03-11&campaign=none", key))
	if b == nil || len(b.IDs) != 0 || b.MembershipHash != hexSHA256("") || *m.Total != 11 {
		t.Errorf("of no interview: measured %+v on %+v", m, b)
	}
}
