package server_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

const (
	synthesisPath = "/api/client/v1/synthesis"
	portal        = synthesisPath + "?surface=portal"
)

// verbatim is JSON that decoding into floats would change.
const verbatim = `{"schema": "home.v1", "big": 12345678901234567890.1234567890, "zeros": 1.500, "small": 0.00000000000000000000000000000010, "text": "<b>&\u2028 ☃ \"", ` +
	`"list": [null, true, {"b": 0.10, "a": -7}], "empty": {}}`

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
	if !reflect.DeepEqual(got.Data, want) {
		t.Errorf("data\n got %v\nwant %v", got.Data, want)
	}
	wantMeta := map[string]any{
		"client_id": client, "count": 2.0, "has_more": false, "next_cursor": nil, "measurement_mode": "legacy",
		"types":                      []any{"lane", "campaign", "home", "daily_feed"},
		"includes_customer_identity": false, "includes_transcripts": false,
		"includes_raw_extraction": false, "includes_custom_extraction": false,
	}
	if !reflect.DeepEqual(got.Meta, wantMeta) {
		t.Errorf("meta\n got %v\nwant %v", got.Meta, wantMeta)
	}
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
func TestListSynthesis_CanonicalMeasurementHasNoBasis(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "globex", nil)
	for range 2 {
		seed.SynthesisDocument(t, "globex", nil)
		seed.PortalDocument(t, "globex", nil)
	}
	key := srv.KeyFor(t, "globex")
	for _, path := range []string{synthesisPath + "?limit=1", portal + "&limit=1"} {
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

// Drafts, archives and everything of an invisible lane are seen in neither mode.
func TestListSynthesis_OnlyWhatIsVisible(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	hidden := seed.Lane(t, "acme", apitest.Fields{"slug": "hidden", "visible": false})
	shown := seed.Lane(t, "acme", apitest.Fields{"slug": "shown"})
	ended := seed.Campaign(t, "acme", apitest.Fields{"slug": "ended", "launch_status": "ended", "active": false})
	key := srv.KeyFor(t, "acme")

	for _, status := range []string{"draft", "archived", "Published", ""} {
		seed.SynthesisDocument(t, "acme", apitest.Fields{"status": status, "lane_id": shown, "synthesis_type": "lane"})
		seed.PortalDocument(t, "acme", apitest.Fields{"status": status, "lane_id": shown, "type": "lane"})
	}
	for _, kind := range []string{"lane", "home", "campaign", "daily_feed"} {
		seed.SynthesisDocument(t, "acme", apitest.Fields{"synthesis_type": kind, "lane_id": hidden, "campaign_id": ended})
	}
	for _, kind := range []string{"playbook", "creative_concept"} { // portal-only types are never listed
		seed.SynthesisDocument(t, "acme", apitest.Fields{"synthesis_type": kind, "lane_id": shown, "campaign_id": ended, "feed_date": apitest.At("2026-03-01")})
	}
	laneRow := seed.SynthesisDocument(t, "acme", apitest.Fields{"synthesis_type": "lane", "lane_id": shown})
	campaignRow := seed.SynthesisDocument(t, "acme", apitest.Fields{
		"synthesis_type": "campaign", "campaign_id": ended, "last_refreshed": nil,
	})
	for query, want := range map[string][]string{
		"": {laneRow, campaignRow}, "type=lane": {laneRow}, "type=home": {}, "type=campaign": {campaignRow},
		"lane_id=" + shown.String(): {laneRow}, "lane_id=" + hidden.String(): {},
		"campaign_id=" + ended.String(): {campaignRow}, "day=2026-03-01": {},
	} {
		srv.Get(t, synthesisPath+"?"+query, key).WantIDs(t, want...)
	}

	laneBody := seed.PortalDocument(t, "acme", apitest.Fields{"type": "lane", "lane_id": shown})
	noLanes := seed.PortalDocument(t, "acme", apitest.Fields{"type": "lane", "published_at": nil})
	campaignBody := seed.PortalDocument(t, "acme", apitest.Fields{"type": "campaign", "campaign_id": ended})
	concept := seed.PortalDocument(t, "acme", apitest.Fields{"type": "creative_concept", "lane_id": shown})
	for _, kind := range []string{"lane", "creative_concept", "campaign", "home"} {
		seed.PortalDocument(t, "acme", apitest.Fields{"type": kind, "lane_id": hidden, "campaign_id": ended})
	}
	for query, want := range map[string][]string{
		"type=lane": {laneBody, noLanes}, "type=lane&lane=shown": {laneBody}, "type=lane&lane=hidden": {},
		"type=lane&lane=Shown": {}, "type=lane&lane=unknown": {},
		"type=campaign": {campaignBody}, "type=campaign&campaign=ended": {campaignBody}, "type=campaign&campaign=unknown": {},
		"type=creative_concept": {concept}, "type=home": {}, "type=playbook": {},
	} {
		srv.Get(t, portal+"&"+query, key).WantIDs(t, want...)
	}

	seed.Exec(t, "UPDATE lanes SET visible = NOT visible WHERE client_id = $1", seed.Clients["acme"])
	srv.Get(t, synthesisPath+"?type=lane&lane_id="+shown.String(), key).WantIDs(t)
	if got := len(srv.Get(t, portal+"&type=lane&lane=hidden", key).List(t).Data); got != 1 {
		t.Errorf("the lane that became visible has %d bodies, want 1", got)
	}
}

// Slugs, and even ids, that two clients share show each its own.
func TestListSynthesis_OtherClientsRowsAreInvisible(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	lane, campaign, document := uuid.New(), uuid.New(), uuid.New()
	for i, client := range []string{"acme", "globex"} {
		// What acme hides, globex shows.
		seed.Lane(t, client, apitest.Fields{"id": lane, "slug": "checkout", "visible": i == 1})
		seed.Campaign(t, client, apitest.Fields{"id": campaign, "slug": "winter"})
		owner := json.RawMessage(`{"id": "` + document.String() + `", "schema": "one.v1", "owner": "` + client + `"}`)
		seed.SynthesisDocument(t, client, apitest.Fields{"id": document, "campaign_id": campaign, "document": owner})
		seed.PortalDocument(t, client, apitest.Fields{"id": document, "type": "campaign", "campaign_id": campaign, "body": owner})
		seed.PortalDocument(t, client, apitest.Fields{"type": "lane", "lane_id": lane})
		seed.SynthesisDocument(t, client, apitest.Fields{"synthesis_type": "lane", "lane_id": lane})
	}
	acme, globex := srv.KeyFor(t, "acme"), srv.KeyFor(t, "globex")
	for _, path := range []string{
		synthesisPath, synthesisPath + "?type=home", synthesisPath + "?campaign_id=" + campaign.String(),
		portal + "&type=campaign", portal + "&type=campaign&campaign=winter",
	} {
		answer := srv.Get(t, path, acme).WantIDs(t, document.String())
		if !strings.Contains(string(answer.Body), `"owner": "acme"`) {
			t.Errorf("%s shows another client's: %s", path, answer.Body)
		}
	}
	for _, path := range []string{
		synthesisPath + "?type=lane", synthesisPath + "?lane_id=" + lane.String(), portal + "&type=lane&lane=checkout",
	} {
		srv.Get(t, path, acme).WantIDs(t)
		if got := len(srv.Get(t, path, globex).List(t).Data); got != 1 {
			t.Errorf("%s shows globex %d of its own, want 1", path, got)
		}
	}
}

// Documents and bodies are the JSON values that were published, digit for digit.
func TestListSynthesis_JSONIsVerbatim(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, client := range []string{"acme", "globex"} {
		seed.SynthesisDocument(t, client, apitest.Fields{"document": json.RawMessage(verbatim)})
		seed.PortalDocument(t, client, apitest.Fields{"body": json.RawMessage(verbatim)})
	}
	seed.PortalDocument(t, "globex", apitest.Fields{"type": "playbook", "body": json.RawMessage(`{"schema": "empty.v1"}`)})
	want := exact(t, []byte(verbatim))
	for _, client := range []string{"acme", "globex"} {
		key := srv.KeyFor(t, client)
		row := srv.Get(t, synthesisPath, key).List(t).Data[0]
		if got := exact(t, row["document"]); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: document\n got %v\nwant %v", client, got, want)
		}
		var bodies struct{ Data []json.RawMessage }
		srv.Get(t, portal, key).Decode(t, &bodies)
		body := exact(t, bodies.Data[0]).(map[string]any)
		if integrity, added := body["measurement_integrity"]; added != (client == "globex") {
			t.Errorf("%s: measurement_integrity is %v", client, integrity)
		}
		delete(body, "measurement_integrity")
		if !reflect.DeepEqual(any(body), want) {
			t.Errorf("%s: body\n got %v\nwant %v", client, body, want)
		}
	}
	var empty struct{ Data []json.RawMessage }
	srv.Get(t, portal+"&type=playbook", srv.KeyFor(t, "globex")).Decode(t, &empty)
	var compact bytes.Buffer // the database chooses the space between a name and its value
	if err := json.Compact(&compact, empty.Data[0]); err != nil {
		t.Fatal(err)
	}
	if got, want := compact.String(), `{"schema":"empty.v1","measurement_integrity":{"status":"historical_unverifiable"}}`; got != want {
		t.Errorf("a short body became %s, want %s", got, want)
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
	if stored != 0 {
		t.Errorf("%d such bodies were stored", stored)
	}
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
		"", "&day=2026-03-04", "&limit=0", "&unheard_of=1", "&day=soon", "&lane=x", "&starting_after=x", "&updated_since=x", "&limit=1&limit=2",
	} {
		answer := srv.Get(t, portal+"&type=daily_feed"+query, without).
			WantError(t, 403, "insufficient_scope", "Missing required scope: read:customer_identity")
		if got, want := answer.Header.Get("WWW-Authenticate"), `Bearer error="insufficient_scope", scope="read:customer_identity"`; got != want {
			t.Errorf("%s: WWW-Authenticate is %q, want %q", query, got, want)
		}
	}
	for query, details := range map[string]string{
		"surface=wall&type=daily_feed":                  `surface must be one of portal, not "wall"`,
		"surface=portal&type=weekly":                    `type must be one of home, daily_feed, lane, campaign, playbook, creative_concept, not "weekly"`,
		"surface=portal&type=daily_feed&type=home":      "type is given more than once; give it once",
		"surface=portal&surface=portal&type=daily_feed": "surface is given more than once; give it once",
		"surface=&type=daily_feed":                      "surface is empty; give a value or leave it out",
	} {
		answer := srv.Get(t, synthesisPath+"?"+query, without).WantError(t, 400, "invalid_parameter", "Invalid query parameter")
		if got := answer.Details(t); got != details {
			t.Errorf("%s: details %q, want %q", query, got, details)
		}
	}
	// Every other surface, and the collection's rows of the feed, need no more.
	for _, path := range []string{portal, portal + "&type=lane", synthesisPath + "?type=daily_feed"} {
		srv.Get(t, path, without).WantStatus(t, 200)
	}
	with := srv.KeyFor(t, "acme", auth.ReadSynthesis, auth.ReadCustomerIdentity)
	if got := len(srv.Get(t, portal+"&type=daily_feed", with).List(t).Data); got != 1 {
		t.Errorf("with both scopes the feed has %d bodies, want 1", got)
	}
}
