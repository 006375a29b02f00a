package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/openapi"
)

func keyRequest(client string) apikey.Request {
	return apikey.Request{Client: client, Name: "a test", Scopes: auth.All()}
}

// interviewParameters are the list's query parameters by name, as the contract has them.
func interviewParameters(t *testing.T) []string {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.JSON())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range doc.Paths.Find(interviews).Get.Parameters {
		names = append(names, p.Value.Name)
	}
	slices.Sort(names)
	return names
}

// Nothing in a query string is ignored: a mistyped filter would widen the response.
func TestListInterviews_RefusedParameters(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "acme", nil)
	const limits = "limit must be a whole number from 1 to 200, in plain digits, not "
	parameters := strings.Join(interviewParameters(t), ", ")
	for query, want := range map[string]refusalWords{
		"limit=0":                 invalidParameter(limits + `"0"`),
		"limit=201":               invalidParameter(limits + `"201"`),
		"limit=-1":                invalidParameter(limits + `"-1"`),
		"limit=abc":               invalidParameter(limits + `"abc"`),
		"limit=1e2":               invalidParameter(limits + `"1e2"`),
		"limit=1.0":               invalidParameter(limits + `"1.0"`),
		"limit=%2B5":              invalidParameter(limits + `"+5"`),
		"limit=05":                invalidParameter(limits + `"05"`),
		"limit=99999999999999999": invalidParameter(limits + `"99999999999999999"`),
		"limit=":                  invalidParameter("limit is empty; give a value or leave it out"),
		"limit":                   invalidParameter("limit is empty; give a value or leave it out"),
		"limit=1&limit=1":         invalidParameter("limit is given more than once; give it once"),
		"status=":                 invalidParameter("status is empty; give a value or leave it out"),
		"status=a%00b":            invalidParameter("status contains a NUL character, which no value does"),
		"status=%ff":              invalidParameter("status is not valid UTF-8"),
		"status=%zz":              invalidParameter("status has a % that two hexadecimal digits do not follow; write it as %25"),
		"status=100%":             invalidParameter("status has a % that two hexadecimal digits do not follow; write it as %25"),
		"%zz=x":                   invalidParameter("the query string is malformed: expected name=value pairs joined with &, percent-encoded"),
		"a;b=x": {"unknown_parameter", "Unknown query parameter",
			`"a;b" is not a parameter of this route; it takes ` + parameters},
		"Status=completed": {"unknown_parameter", "Unknown query parameter",
			`"Status" is not a parameter of this route; it takes ` + parameters},
		"updated_since=2026-01-01": {"updated_since_unsupported", "updated_since is not supported",
			"updated_since is not supported on interviews, which carry no update time: use date_from and date_to, which filter created_at"},
		"date_from=yesterday":                     invalidParameter(`date_from "yesterday" is not a date or date-time; ` + acceptedMoments),
		"date_to=2026-02-30":                      invalidParameter(`date_to "2026-02-30" is not a real calendar date or time; ` + acceptedMoments),
		"date_from=2026-01-01T10:00+02:00":        invalidParameter(`date_from "2026-01-01T10:00 02:00" is not a date or date-time; ` + acceptedMoments + plusHint),
		"date_from=2026-01-02&date_to=2026-01-01": {"invalid_date_range", "Invalid date range", "date_from is later than date_to; swap them or leave one out"},
	} {
		answer := srv.Get(t, interviews+"?"+query, srv.Issue(t, keyRequest("acme")).Key)
		answer.WantError(t, 400, want.code, want.message)
		if got := answer.Details(t); got != want.details {
			t.Errorf("%s: details\n got %s\nwant %s", query, got, want.details)
		}
		if answer.Header.Get("X-RateLimit-Remaining") != "600" {
			t.Errorf("%s: a 400 carries Remaining %q, want 600", query, answer.Header.Get("X-RateLimit-Remaining"))
		}
	}
	for name, long := range map[string]string{"text": strings.Repeat("x", 1000), "no text": strings.Repeat("%ff", 1000)} {
		if got := srv.Get(t, interviews+"?"+long+"=1", srv.KeyFor(t, "acme")).Details(t); len(got) > 400 {
			t.Errorf("a long name of %s is echoed whole: %d characters", name, len(got))
		}
	}
}

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
		if strings.Contains(string(answer.Body), "updated_since_unsupported") {
			t.Errorf("%s is answered with %s", query, answer.Body)
		}
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
		if got := srv.Get(t, interviews+"/"+id, key).Status; got != 200 {
			t.Errorf("%s: detail answers %d, want 200", name, got)
		}
	}
	for name, fields := range hidden {
		id := seed.Interview(t, "acme", fields)
		if got := srv.Get(t, interviews+"/"+id, key).Status; got != 404 {
			t.Errorf("%s: detail answers %d, want 404", name, got)
		}
	}
	list := srv.Get(t, interviews, key).List(t)
	if len(list.Data) != len(want) {
		t.Errorf("the list has %d rows, want %d", len(list.Data), len(want))
	}
	for _, id := range list.IDs(t) {
		if !want[id] {
			t.Errorf("the list shows a hidden interview")
		}
	}
	// A campaign that ends takes its interviews with it, and gives them back.
	seed.Exec(t, "UPDATE campaigns SET launch_status = 'ended' WHERE id = $1", live)
	if got := len(srv.Get(t, interviews, key).List(t).Data); got != len(want)-1 {
		t.Errorf("after a campaign ended, the list has %d rows, want %d", got, len(want)-1)
	}
	seed.Exec(t, "UPDATE campaigns SET launch_status = 'live' WHERE id = $1", live)
	if got := len(srv.Get(t, interviews, key).List(t).Data); got != len(want) {
		t.Errorf("after it went live again, the list has %d rows, want %d", got, len(want))
	}
}
