package server_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

// A caller that relies on updated_since learns it first, whatever else is wrong.
func TestListInterviews_UpdatedSinceOutranksEveryOtherFault(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, query := range []string{
		"updated_since", "updated_since=", "updated_since=2026-01-01&updated_since=2026-01-01", "updated_since=%zz", "updated_since=a;b",
		"limit=0&updated_since=2026-01-01", "status=%zz&updated_since=2026-01-01", "a=1&updated_since=x", "status=%ff&%75pdated_since=x",
		"starting_after=x&updated_since=x", "date_from=2026-02-01&date_to=2026-01-01&updated_since=x",
	} {
		srv.Get(t, interviews+"?"+query, srv.KeyFor(t, "acme")).
			WantError(t, 400, "updated_since_unsupported", "updated_since is not supported")
	}
	srv.Get(t, interviews+"?updated_since=x", srv.KeyFor(t, "acme", auth.ReadCampaigns)).
		WantError(t, 403, "insufficient_scope", "Missing required scope: read:interviews_metadata")
	for _, query := range []string{"Updated_since=x", "status=updated_since&limit=0"} {
		answer := srv.Get(t, interviews+"?"+query, srv.KeyFor(t, "acme")).WantStatus(t, 400)
		check.Lacks(t, string(answer.Body), "updated_since_unsupported", query, answer.Body)
	}
}

// Each rule of the gate alone hides an interview, from the list and from detail.
func TestListInterviews_EachRuleOfTheGateHides(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	live := seed.Campaign(t, "acme", nil)
	usable := map[string]apitest.Fields{
		"no campaign":          {},
		"live campaign":        {"campaign_id": live},
		"campaign active null": {"campaign_id": seed.Campaign(t, "acme", apitest.Fields{"active": nil})},
		"no duration":          {"duration_seconds": nil},
		"a minute":             {"duration_seconds": 60},
		"no engagement":        {"engagement": nil},
		"analyzed":             {"status": "analyzed"},
	}
	hidden := map[string]apitest.Fields{
		"status":             {"status": "in_progress"},
		"test":               {"is_test": true},
		"short":              {"duration_seconds": 59.999},
		"disengaged":         {"engagement": "disengaged"},
		"quality failed":     {"quality": "failed"},
		"quality pending":    {"quality": "pending"},
		"not reportable":     {"reportable": false},
		"not client-safe":    {"client_safe": false},
		"campaign ended":     {"campaign_id": seed.Campaign(t, "acme", apitest.Fields{"launch_status": "ended"})},
		"campaign draft":     {"campaign_id": seed.Campaign(t, "acme", apitest.Fields{"launch_status": "draft"})},
		"campaign no status": {"campaign_id": seed.Campaign(t, "acme", apitest.Fields{"launch_status": nil})},
		"campaign inactive":  {"campaign_id": seed.Campaign(t, "acme", apitest.Fields{"active": false})},
	}
	key := srv.KeyFor(t, "acme")
	want := map[string]bool{}
	for name, fields := range usable {
		id := seed.Interview(t, "acme", fields)
		want[id] = true
		check.Equal(t, srv.Get(t, interviews+"/"+id, key).Status, 200, name)
	}
	for name, fields := range hidden {
		id := seed.Interview(t, "acme", fields)
		check.Equal(t, srv.Get(t, interviews+"/"+id, key).Status, 404, name)
	}
	list := srv.Get(t, interviews, key).List(t)
	check.Equal(t, len(list.Data), len(want), "rows of the list")
	for _, id := range list.IDs(t) {
		if !want[id] {
			t.Errorf("the list shows a hidden interview")
		}
	}
	// A campaign that ends takes its interviews with it, and gives them back.
	seed.Exec(t, "UPDATE campaigns SET launch_status = 'ended' WHERE id = $1", live)
	check.Equal(t, len(srv.Get(t, interviews, key).List(t).Data), len(want)-1, "rows after a campaign ended")
	seed.Exec(t, "UPDATE campaigns SET launch_status = 'live' WHERE id = $1", live)
	check.Equal(t, len(srv.Get(t, interviews, key).List(t).Data), len(want), "rows after it went live again")
}
