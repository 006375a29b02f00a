package server_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

const (
	synthesisPath = "/api/client/v1/synthesis"
	portal        = synthesisPath + "?surface=portal"
)

func TestListSynthesis_CollectionRowsHaveEveryField(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	lane, campaign := seed.Lane(t, "acme", nil), seed.Campaign(t, "acme", apitest.Fields{"launch_status": "ended"})
	full := seed.SynthesisDocument(t, "acme", apitest.Fields{
		"synthesis_type": "daily_feed", "lane_id": lane, "campaign_id": campaign, "feed_date": apitest.At("2026-03-04"),
		"last_refreshed": apitest.At("2026-03-05T06:00:00.123456Z"), "document": json.RawMessage(`{"headline": "So it is"}`),
	})
	bare := seed.SynthesisDocument(t, "acme", apitest.Fields{
		"cadence": nil, "last_refreshed": nil, "document": json.RawMessage(`{}`),
	})
	client := seed.Clients["acme"].String()
	want := []map[string]any{
		{
			"id": full, "client_id": client, "synthesis_type": "daily_feed", "lane_id": lane.String(),
			"conversation_goal_id": campaign.String(), "document": map[string]any{"headline": "So it is"},
			"contract_version": "home_synthesis.v3", "status": "published", "cadence": "weekly", "feed_date": "2026-03-04",
			"last_refreshed": "2026-03-05T06:00:00.123456Z", "created_at": "2026-01-01T00:00:00.000000Z", "updated_at": "2026-03-01T06:00:02.000000Z",
		},
		{
			"id": bare, "client_id": client, "synthesis_type": "home", "lane_id": nil, "conversation_goal_id": nil,
			"document": map[string]any{}, "contract_version": "home_synthesis.v3", "status": "published", "cadence": nil,
			"feed_date": nil, "last_refreshed": nil, "created_at": "2026-01-01T00:00:00.000000Z", "updated_at": "2026-03-01T06:00:02.000000Z",
		},
	}
	var got struct {
		Data []map[string]any
		Meta map[string]any
	}
	// The default scopes suffice, the daily feed's rows included.
	srv.Get(t, synthesisPath, srv.KeyFor(t, "acme", auth.ReadSynthesis)).WantStatus(t, 200).Decode(t, &got)
	check.DeepEqual(t, got.Data, want, "data")
	wantMeta := map[string]any{
		"client_id": client, "count": 2.0, "has_more": false, "next_cursor": nil, "measurement_mode": "legacy",
		"types":                      []any{"lane", "campaign", "home", "daily_feed"},
		"includes_customer_identity": false, "includes_transcripts": false,
		"includes_raw_extraction": false, "includes_custom_extraction": false,
	}
	check.DeepEqual(t, got.Meta, wantMeta, "meta")
}

// Meta depends on mode and type only.
func TestListSynthesis_Meta(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for query, want := range map[string]struct{ types, surface, identity string }{
		"":                          {`["lane","campaign","home","daily_feed"]`, "", "false"},
		"?type=campaign":            {`["campaign"]`, "", "false"},
		"?type=daily_feed":          {`["daily_feed"]`, "", "false"},
		"?surface=portal":           {"", `"home"`, "false"},
		"?surface=portal&type=home": {"", `"home"`, "false"},
		"?surface=portal&type=lane": {"", `"lane"`, "false"},
		"?surface=portal&type=campaign&campaign=none": {"", `"campaign"`, "false"},
		"?surface=portal&type=playbook":               {"", `"playbook"`, "false"},
		"?surface=portal&type=creative_concept":       {"", `"creative_concept"`, "false"},
		"?surface=portal&type=daily_feed":             {"", `"daily_feed"`, "true"},
	} {
		m := srv.Get(t, synthesisPath+query, key).List(t).Meta
		if string(m["types"]) != want.types || string(m["type"]) != want.surface ||
			string(m["includes_customer_identity"]) != want.identity {
			t.Errorf("%s: types %s, type %s, identity %s; want %+v", query, m["types"], m["type"], m["includes_customer_identity"], want)
		}
	}
}

// Synthesis reads no interview: a canonical client gets the total, never a basis.
func TestLists_WithoutInterviewsHaveNoBasis(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "globex", nil)
	for range 2 {
		seed.SynthesisDocument(t, "globex", nil)
		seed.PortalDocument(t, "globex", nil)
		seed.Campaign(t, "globex", nil)
	}
	key := srv.KeyFor(t, "globex")
	for _, path := range []string{synthesisPath + "?limit=1", portal + "&limit=1", campaigns + "?limit=1"} {
		first := srv.Get(t, path, key)
		for _, answer := range []*apitest.Response{
			first, srv.Get(t, path+"&starting_after="+first.List(t).NextCursor(t), key),
		} {
			m, b := measuredOf(t, answer)
			if b != nil || !slices.Equal(m.Omitted, []string{"measurement_basis"}) || m.Mode != "canonical" || *m.Total != 1 {
				t.Errorf("%s: measured %+v with basis %v", path, m, b)
			}
		}
	}
}

// The database itself refuses bodies that claim what only the server may state,
// or that could pass for rows.
func TestListSynthesis_BodiesThatClaimTooMuchCannotBeStored(t *testing.T) {
	t.Parallel()
	_, seed := apitest.Start(t)
	var stored int
	for _, body := range []string{
		`{"measurement_integrity": null}`, `{"synthesis_type": 1, "document": 2, "contract_version": 3}`,
	} {
		seed.Exec(t, `DO $$ BEGIN
			INSERT INTO portal_documents (client_id, id, type, body, status)
			SELECT c.id, gen_random_uuid(), 'home', '`+body+`', 'published' FROM clients AS c;
		EXCEPTION WHEN check_violation THEN NULL; END $$`)
	}
	seed.Query(t, &stored, "SELECT count(*) FROM portal_documents")
	check.Equal(t, stored, 0, "stored bodies")
}

func TestListSynthesis_DeclaredRefusals(t *testing.T) {
	t.Parallel()
	checkDeclaredRefusals(t, synthesisPath, auth.ReadSynthesis)
	checkDeclaredRefusals(t, portal+"&type=daily_feed", auth.ReadSynthesis)
}

// The daily feed's bodies need a second scope. Surface and type are looked at
// first, then that scope, then everything else.
func TestListSynthesis_DailyFeedNeedsIdentity(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.PortalDocument(t, "acme", apitest.Fields{"type": "daily_feed", "feed_date": apitest.At("2026-03-04")})
	without := srv.KeyFor(t, "acme", auth.ReadSynthesis, auth.ReadCampaigns)
	for _, query := range []string{
		"", "&day=2026-03-04", "&limit=0", "&unheard_of=1", "&day=soon", "&lane=x", "&day=%zz", "&%zz=x", "&starting_after=x", "&updated_since=x", "&limit=1&limit=2",
	} {
		answer := srv.Get(t, portal+"&type=daily_feed"+query, without).
			WantError(t, 403, "insufficient_scope", "Missing required scope: read:customer_identity")
		check.Equal(t, answer.Header.Get("WWW-Authenticate"), `Bearer error="insufficient_scope", scope="read:customer_identity"`, query)
	}
	for query, details := range map[string]string{
		"surface=wall&type=daily_feed":                  `surface must be one of portal, not "wall"`,
		"surface=portal&type=weekly":                    `type must be one of home, daily_feed, lane, campaign, playbook, creative_concept, not "weekly"`,
		"surface=portal&type=daily_feed&type=home":      "type is given more than once; give it once",
		"surface=portal&surface=portal&type=daily_feed": "surface is given more than once; give it once",
		"surface=&type=daily_feed":                      "surface is empty; give a value or leave it out",
	} {
		answer := srv.Get(t, synthesisPath+"?"+query, without).WantError(t, 400, "invalid_parameter", "Invalid query parameter")
		check.Equal(t, answer.Details(t), details, query)
	}
	// Every other surface, and the collection's rows of the feed, need no more.
	for _, path := range []string{portal, portal + "&type=lane", synthesisPath + "?type=daily_feed"} {
		srv.Get(t, path, without).WantStatus(t, 200)
	}
	with := srv.KeyFor(t, "acme", auth.ReadSynthesis, auth.ReadCustomerIdentity)
	check.Equal(t, len(srv.Get(t, portal+"&type=daily_feed", with).List(t).Data), 1, "bodies of the feed with both scopes")
}
