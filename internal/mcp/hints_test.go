package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// A result that is empty because of a campaign says why, as far as the key may know it.
func TestHints(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	const live, ended, theirs = "b3a1f0c2-5d6e-4f70-8a91-c2d3e4f5a6b7", "0d9e8f70-6a5b-4c3d-9e2f-1a0b9c8d7e6f", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"
	seed.Campaign(t, "acme", apitest.Fields{"id": live, "slug": "weekly-box", "display_name": "Weekly box check-in"})
	seed.Campaign(t, "acme", apitest.Fields{"id": ended, "slug": "winter", "launch_status": "ended"})
	seed.Campaign(t, "globex", apitest.Fields{"id": theirs, "slug": "globex-only"})
	seed.Interview(t, "acme", apitest.Fields{"campaign_id": ended})
	seed.Interview(t, "acme", apitest.Fields{"campaign_id": live, "created_at": apitest.At("2026-03-01")})
	seed.Interview(t, "globex", apitest.Fields{"campaign_id": theirs})

	const notLive = `The campaign "winter" is not live, so its interviews are visible nowhere.`
	none := func(kind, given, first, second string) string {
		hint := fmt.Sprintf("There is no campaign whose %s is %q.", kind, given)
		for _, slug := range []string{first, second} {
			hint += fmt.Sprintf(" Close is the slug %s, whose id is %s.", slug, map[string]string{"weekly-box": live, "winter": ended}[slug])
		}
		return hint
	}
	every := auth.All()
	without := []auth.Scope{auth.ReadInterviewsMetadata, auth.ReadCustomExtraction}
	for _, c := range []struct {
		tool, arguments string
		scopes          []auth.Scope
		want            string // empty: no hint
	}{
		{"list_interviews", `{"campaign_id":"weekly-box"}`, every, none("id", "weekly-box", "weekly-box", "winter")},
		{"list_interviews", `{"campaign_id":"` + theirs + `"}`, every, none("id", theirs, "winter", "weekly-box")},
		{"list_interviews", `{"campaign_id":"` + strings.ToUpper(ended) + `"}`, every, notLive},
		{"list_interviews", `{"campaign_id":"` + live + `","date_from":"2026-04-01"}`, every, ""},
		{"list_interviews", `{"campaign_id":"` + live + `"}`, every, ""},
		{"list_interviews", `{"date_from":"2026-04-01"}`, every, ""},
		{"get_interview_analytics", `{"campaign":"Weekly box check-in"}`, every, none("slug", "Weekly box check-in", "weekly-box", "winter")},
		{"get_interview_analytics", `{"campaign":"wintre"}`, every, none("slug", "wintre", "winter", "weekly-box")},
		{"get_interview_analytics", `{"campaign":"winter"}`, every, notLive},
		{"get_interview_analytics", `{"campaign":"winter"}`, without, `There may be no campaign whose slug is "winter", or it is not live: this key may not read campaigns.`},
		{"search_customer_intelligence", `{"q":"late","campaign":"globex-only"}`, every, none("slug", "globex-only", "winter", "weekly-box")},
		{"list_campaigns", `{"campaign_id":"winter"}`, every, none("id", "winter", "winter", "weekly-box")},
		{"get_synthesis_document", `{"surface":"portal","type":"campaign","campaign":"winter"}`, every, ""},
		{"get_synthesis_document", `{"surface":"portal","type":"lane","lane":"food"}`, every,
			`There is no visible lane whose slug is "food", or nothing that you ask for is published in it; leave lane out to see all lanes.`},
		{"get_synthesis_document", `{"surface":"portal","type":"campaign","campaign":"box"}`, every, none("slug", "box", "weekly-box", "winter")},
	} {
		a := agent{srv, srv.KeyFor(t, "acme", c.scopes...), "2025-11-25"}
		var got struct{ Hints []string }
		require.NoError(t, json.Unmarshal(a.call(t, c.tool, c.arguments).StructuredContent, &got))
		check.Equal(t, strings.Join(got.Hints, "|"), c.want, c.tool, c.arguments)
	}
	if line := `"operation":"list_campaigns"`; strings.Count(srv.Logs.String(), line) != 1 {
		t.Errorf("a hint's own reading is logged: %s", srv.Logs)
	}
}

// A brand may have more campaigns than a page of them.
func TestHints_OfManyCampaigns(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Exec(t, `INSERT INTO campaigns (id, client_id, slug, created_at) SELECT gen_random_uuid(), $1, 'spring-' || n, '2026-02-01' FROM generate_series(1, 205) AS n`, seed.Clients["acme"])
	seed.Campaign(t, "acme", apitest.Fields{"slug": "weekly-box", "launch_status": "ended"})
	a := agent{srv, srv.KeyFor(t, "acme"), "2025-11-25"}
	for slug, want := range map[string]string{"weekly-bax": "Close is the slug weekly-box,", "weekly-box": `"weekly-box\" is not live`} {
		check.Contains(t, a.call(t, "get_interview_analytics", fmt.Sprintf(`{"campaign":%q}`, slug)).Content[0].Text, want, slug)
	}
}

// One old interview must not make a list of twenty thousand days.
func TestBudget_EmptyDaysAreLeftOut(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, day := range []string{"1970-01-01", "2026-11-20"} {
		seed.Interview(t, "acme", apitest.Fields{"created_at": apitest.At(day)})
	}
	a := agent{srv, srv.KeyFor(t, "acme"), "2026-07-28"}
	var got struct {
		Data  struct{ Volume []struct{ Label string } }
		Hints []string
	}
	require.NoError(t, json.Unmarshal(a.call(t, "get_interview_analytics", `{"date_from":"1970-01-01"}`).StructuredContent, &got))
	if v := got.Data.Volume; len(v) != 2 || v[0].Label != "1970-01-01" || v[1].Label != "2026-11-20" ||
		len(got.Hints) != 1 || got.Hints[0] != "volume leaves out 20776 of 20778 days: those without interviews." {
		t.Errorf("got %+v", got)
	}
	if text := a.call(t, "get_interview_analytics", `{"date_from":"2026-03-01","date_to":"2026-06-08"}`).Content[0].Text; strings.Count(text, `"label":"2026-`) != 100 || strings.Contains(text, "hints") {
		t.Errorf("of 100 empty days: %.300s", text)
	}
}

// Transcripts are declined as if the key could not read them.
func TestCall_WithoutTranscripts(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "globex", apitest.Fields{"transcript": json.RawMessage(`[{"text":"the courier"}]`)})
	every := srv.KeyFor(t, "globex")
	fewer := srv.KeyFor(t, "globex", auth.ReadInterviewsMetadata, auth.ReadCustomerIdentity, auth.ReadCustomExtraction)
	check.Equal(t, equal(t, agent{srv, every, "2025-11-25"}, "list_interviews", `{"include_transcripts":true}`, routes["list_interviews"]), 1, "include_transcripts")
	declined := agent{srv, every, "2025-11-25"}.call(t, "list_interviews", `{"include_transcripts":false}`).Content[0].Text
	want := string(srv.Get(t, routes["list_interviews"], fewer).Body)
	if got := moment.ReplaceAllString(declined, "$1"); strings.Contains(got, "courier") || !strings.Contains(got, `"includes_transcripts":false`) ||
		fmt.Sprint(decode(t, []byte(moment.ReplaceAllString(declined, `"$1":"…"`)))) != fmt.Sprint(decode(t, []byte(moment.ReplaceAllString(want, `"$1":"…"`)))) {
		t.Errorf("got %s\nwant %s", declined, want)
	}
}
