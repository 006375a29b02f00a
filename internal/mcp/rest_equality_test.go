package mcp_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// question is one thing to ask, as arguments and as the query that means the same.
type question struct{ arguments, query string }

var routes = map[string]string{
	"get_interview_analytics":      "/api/client/v1/analytics/interviews",
	"get_synthesis_document":       "/api/client/v1/synthesis",
	"list_campaigns":               "/api/client/v1/campaigns",
	"list_interviews":              "/api/client/v1/interviews",
	"search_customer_intelligence": "/api/client/v1/intelligence/search",
}

const (
	campaignID = "b3a1f0c2-5d6e-4f70-8a91-c2d3e4f5a6b7"
	laneID     = "0d9e8f70-6a5b-4c3d-9e2f-1a0b9c8d7e6f"
)

// everywhere is asked of each tool: what one parameter makes a page of, another
// tool refuses, and both must do so in REST's words.
var everywhere = []question{
	{`{}`, ``},
	{`{"limit":1}`, `limit=1`},
	{`{"limit":0}`, `limit=0`},
	{`{"limit":5.0}`, `limit=5`},
	{`{"limit":99999999999999999999999999}`, `limit=99999999999999999999999999`},
	{`{"starting_after":"nonsense"}`, `starting_after=nonsense`},
	{`{"status":"completed"}`, `status=completed`},
	{`{"status":42}`, `status=42`},
	{`{"status":12.50}`, `status=12.50`},
	{`{"status":"a\u0000b"}`, `status=a%00b`},
	{`{"status":"\ud83d\ude00 & =?#+"}`, `status=` + url.QueryEscape("😀 & =?#+")},
	{`{"campaign_id":"` + campaignID + `"}`, `campaign_id=` + campaignID},
	{`{"campaign_id":"nothing"}`, `campaign_id=nothing`},
	{`{"campaign":"winter-launch"}`, `campaign=winter-launch`},
	{`{"campaign":"unheard-of"}`, `campaign=unheard-of`},
	{`{"date_from":"2026-03-02"}`, `date_from=2026-03-02`},
	{`{"date_to":"2026-03-02"}`, `date_to=2026-03-02`},
	{`{"date_from":"2026-03-02T01:00:00+02:00","date_to":"2026-03-03T00:00:00.1234567Z"}`,
		`date_from=2026-03-02T01:00:00%2B02:00&date_to=2026-03-03T00:00:00.1234567Z`},
	{`{"date_from":"2026-03-04","date_to":"2026-03-02"}`, `date_from=2026-03-04&date_to=2026-03-02`},
	{`{"date_from":"2026-02-30"}`, `date_from=2026-02-30`},
	{`{"updated_since":"2026-02-01"}`, `updated_since=2026-02-01`},
	{`{"q":"late"}`, `q=late`},
	{`{"nothing":"1"}`, `nothing=1`},
}

// asked is asked of single tools besides.
var asked = map[string][]question{
	"list_interviews": {
		{`{"campaign_id":"` + campaignID + `","status":"analyzed","date_from":"2026-03-01","limit":2}`,
			`campaign_id=` + campaignID + `&status=analyzed&date_from=2026-03-01&limit=2`},
	},
	"list_campaigns": {
		{`{"status":"live","updated_since":"2026-01-01T00:00:00Z","limit":1}`, `status=live&updated_since=2026-01-01T00:00:00Z&limit=1`},
	},
	"get_synthesis_document": {
		{`{"type":"campaign"}`, `type=campaign`},
		{`{"type":"playbook"}`, `type=playbook`},
		{`{"lane_id":"` + laneID + `"}`, `lane_id=` + laneID},
		{`{"day":"2026-03-02"}`, `day=2026-03-02`},
		{`{"surface":"portal"}`, `surface=portal`},
		{`{"surface":"portal","type":"daily_feed"}`, `surface=portal&type=daily_feed`},
		{`{"surface":"portal","type":"daily_feed","day":"2026-03-02"}`, `surface=portal&type=daily_feed&day=2026-03-02`},
		{`{"surface":"portal","type":"lane","lane":"checkout"}`, `surface=portal&type=lane&lane=checkout`},
		{`{"surface":"portal","type":"campaign","campaign":"winter-launch"}`, `surface=portal&type=campaign&campaign=winter-launch`},
		{`{"surface":"portal","type":"creative_concept"}`, `surface=portal&type=creative_concept`},
	},
	"get_interview_analytics": {
		{`{"date_from":"2026-02-01","date_to":"2026-03-31"}`, `date_from=2026-02-01&date_to=2026-03-31`},
		{`{"date_from":"2026-02-01","date_to":"2026-03-31","campaign":"winter-launch"}`, `date_from=2026-02-01&date_to=2026-03-31&campaign=winter-launch`},
	},
	"search_customer_intelligence": {
		{`{"q":"LATE","limit":1}`, `q=LATE&limit=1`},
		{`{"q":"  late  ","campaign":"winter-launch"}`, `q=++late++&campaign=winter-launch`},
		{`{"q":"100%_\\ <b>"}`, `q=` + url.QueryEscape(`100%_\ <b>`)},
		{`{"q":" "}`, `q=+`},
		{`{"q":"` + strings.Repeat("é", 501) + `"}`, `q=` + url.QueryEscape(strings.Repeat("é", 501))},
	},
}

// seedEqual gives a client something of everything.
func seedEqual(t *testing.T, seed *apitest.Seed, client string) {
	t.Helper()
	// Ids are one client's for good, so each client has its own, but for what questions name.
	campaign, lane := uuid.New(), uuid.New()
	if client == "acme" {
		campaign, lane = uuid.MustParse(campaignID), uuid.MustParse(laneID)
	}
	seed.Campaign(t, client, apitest.Fields{"id": campaign, "slug": "winter-launch", "display_name": "Winter <launch> & more"})
	seed.Campaign(t, client, apitest.Fields{"launch_status": "draft", "active": nil, "created_at": nil})
	seed.Lane(t, client, apitest.Fields{"id": lane, "slug": "checkout"})
	var ids []uuid.UUID
	for i, day := range []string{"2026-02-20", "2026-03-01", "2026-03-02", "2026-03-02", "2026-03-03"} {
		fields := apitest.Fields{
			"created_at": apitest.At(day), "nps_score": 6 + i,
			"custom_extraction": json.RawMessage(`{"primary_pain_points": "late delivery", "product_feedback": "100%_\\ <b>", "big": 12345678901234567890.1230}`),
		}
		if i%2 == 0 {
			fields["campaign_id"], fields["status"] = campaign, "analyzed"
		}
		ids = append(ids, uuid.MustParse(seed.Interview(t, client, fields)))
	}
	seed.Interview(t, client, apitest.Fields{"is_test": true})
	seed.SynthesisDocument(t, client, nil)
	seed.SynthesisDocument(t, client, apitest.Fields{"synthesis_type": "campaign", "campaign_id": campaign})
	seed.SynthesisDocument(t, client, apitest.Fields{"synthesis_type": "lane", "lane_id": lane})
	seed.SynthesisDocument(t, client, apitest.Fields{"synthesis_type": "daily_feed", "feed_date": apitest.At("2026-03-02")})
	seed.PortalDocument(t, client, apitest.Fields{"measurement_snapshot_id": seed.SavedBasis(t, client, ids, nil)})
	seed.PortalDocument(t, client, apitest.Fields{"type": "daily_feed", "feed_date": apitest.At("2026-03-02")})
	seed.PortalDocument(t, client, apitest.Fields{"type": "lane", "lane_id": lane})
	seed.PortalDocument(t, client, apitest.Fields{"type": "campaign", "campaign_id": campaign})
	seed.PortalDocument(t, client, apitest.Fields{"type": "creative_concept"})
}

// A tool says what REST says, to the digit: the same rows, figures, hashes and
// refusals, for either kind of measurement and whatever the key's scopes.
func TestTools_AnswerAsRESTDoes(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, client := range []string{"acme", "globex"} {
		seedEqual(t, seed, client)
	}
	succeeded := map[string]int{}
	for _, client := range []string{"acme", "globex"} {
		for name, scopes := range map[string][]auth.Scope{
			"every scope": auth.All(),
			"no identity": {auth.ReadCampaigns, auth.ReadInterviewsMetadata, auth.ReadSynthesis, auth.ReadCustomExtraction},
		} {
			for tool, route := range routes {
				// A window of its own for each: the questions are many.
				key := srv.Issue(t, apikey.Request{Client: client, Name: name, Scopes: scopes}).Key
				questions := asked[tool]
				// Half of the combinations suffice for what is asked of every tool.
				if (client == "acme") == (name == "no identity") {
					questions = append(questions, everywhere...)
				}
				for i, q := range questions {
					a := agent{srv, key, revisions[i%len(revisions)]}
					succeeded[tool] += equal(t, a, tool, q.arguments, route+"?"+q.query)
				}
			}
		}
	}
	for tool := range routes {
		if succeeded[tool] < 10 {
			t.Errorf("%s succeeded %d times, so little was compared", tool, succeeded[tool])
		}
	}
}

// The three fields of the moment, and the portal's moment of comparison.
var moment = regexp.MustCompile(`"(measurement_as_of|as_of|preview_id|live_as_of)":\s?"[^"]*"`)

// A refusal names arguments.
var argumentWords = strings.NewReplacer("query parameter", "argument", "is not a parameter of this route", "is not an argument of this tool")

// equal sends the request over MCP and over REST and compares the answers, to the digit. It
// returns 1 when REST answered 200. A tool's hints are its own.
func equal(t *testing.T, a agent, tool, arguments, path string) int {
	t.Helper()
	rest := a.srv.Get(t, path, a.key)
	called := a.call(t, tool, arguments)
	timeless := func(text string) map[string]any {
		document, _ := decode(t, []byte(moment.ReplaceAllString(text, `"$1":"…"`))).(map[string]any)
		delete(document, "hints")
		if data, ok := document["data"].(map[string]any); ok && rest.Status == 200 {
			if days, _ := data["volume"].([]any); len(days) > 100 { // a tool leaves out the empty ones
				data["volume"] = slices.DeleteFunc(days, func(day any) bool { return day.(map[string]any)["value"] == json.Number("0") })
			}
		}
		return document
	}
	want, text := timeless(string(rest.Body)), called.Content[0].Text
	if rest.Status != 200 {
		want = timeless(argumentWords.Replace(string(rest.Body)))
	}
	if want["code"] == "unknown_parameter" {
		want["details"] = strings.Join(append([]string{want["details"].(string)}, flagsOf[tool]...), ", ")
	}
	check.DeepEqual(t, timeless(text), want, tool, arguments)
	if called.IsError != (rest.Status != 200) {
		t.Errorf("%s %s: isError is %v where REST answers %d", tool, arguments, called.IsError, rest.Status)
	}
	if rest.Status != 200 {
		if called.StructuredContent != nil {
			t.Errorf("%s %s: a refusal has structured content", tool, arguments)
		}
		return 0
	}
	check.DeepEqual(t, decode(t, called.StructuredContent), decode(t, []byte(text)), tool, arguments)
	return 1
}

// decode keeps every digit.
func decode(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value), text)
	return value
}
