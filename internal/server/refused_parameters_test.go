package server_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// refusal is an error envelope, word for word.
type refusal struct{ code, message, details string }

const (
	acceptedMoments = "accepted: YYYY-MM-DD, or YYYY-MM-DDThh:mm[:ss[.fraction]] with Z, an offset ±hh:mm or nothing (UTC)"
	acceptedDays    = "accepted: YYYY-MM-DD, without a time"
	plusHint        = "; in a URL, write the plus sign of an offset as %2B"
	cursorRefused   = "starting_after was not issued for this list: pass meta.next_cursor unchanged, on the same route with the same filters, or start again without it"
)

func invalidParameter(details string) refusal {
	return refusal{"invalid_parameter", "Invalid query parameter", details}
}

func unknownParameter(name, accepted string) refusal {
	return refusal{"unknown_parameter", "Unknown query parameter", `"` + name + `" is not a parameter of this route; it takes ` + accepted}
}

func invalidUpdatedSince(details string) refusal {
	return refusal{"invalid_updated_since", "Invalid updated_since", details}
}

func unsupportedParameter(details string) refusal {
	return refusal{"unsupported_parameter", "Unsupported query parameter", details}
}

// wantRefusals sends each query to a route and pins what it is refused with.
func wantRefusals(t *testing.T, srv *apitest.Server, path string, refusals map[string]refusal) {
	t.Helper()
	key := srv.Issue(t, keyRequest("acme")).Key
	for query, want := range refusals {
		answer := srv.Get(t, path+"?"+query, key)
		if answer.Status != 400 {
			t.Errorf("%s: status %d, want 400; body %s", query, answer.Status, answer.Body)
			continue
		}
		var got struct{ Error, Details, Code string }
		answer.Decode(t, &got)
		if (refusal{got.Code, got.Error, got.Details}) != want {
			t.Errorf("%s: refused with\n got %+v\nwant %+v", query, got, want)
		}
	}
}

// Nothing in a query string is ignored: a mistyped filter would widen the response. Which
// values are refused is tested against the contract, with the handlers; here are the words.
func TestParameters_RefusedInTheseWords(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	invalidRange := refusal{"invalid_date_range", "Invalid date range", "date_from is later than date_to; swap them or leave one out"}
	invalidCursor := refusal{"invalid_cursor", "Invalid cursor", cursorRefused}
	const limits = "limit must be a whole number from 1 to 200, in plain digits, not "
	const ofInterviews = "campaign_id, date_from, date_to, limit, starting_after, status"
	wantRefusals(t, srv, interviews, map[string]refusal{
		"limit=0":          invalidParameter(limits + `"0"`),
		"limit=201":        invalidParameter(limits + `"201"`),
		"limit=%2B5":       invalidParameter(limits + `"+5"`),
		"limit":            invalidParameter("limit is empty; give a value or leave it out"),
		"limit=1&limit=1":  invalidParameter("limit is given more than once; give it once"),
		"status=a%00b":     invalidParameter("status contains a NUL character, which no value does"),
		"status=%ff":       invalidParameter("status is not valid UTF-8"),
		"status=100%":      invalidParameter("status has a % that two hexadecimal digits do not follow; write it as %25"),
		"%zz=x":            invalidParameter("the query string is malformed: expected name=value pairs joined with &, percent-encoded"),
		"a;b=x":            unknownParameter("a;b", ofInterviews),
		"Status=completed": unknownParameter("Status", ofInterviews),
		"updated_since=2026-01-01": {"updated_since_unsupported", "updated_since is not supported",
			"updated_since is not supported on interviews, which carry no update time: use date_from and date_to, which filter created_at"},
		"date_from=yesterday":                     invalidParameter(`date_from "yesterday" is not a date or date-time; ` + acceptedMoments),
		"date_to=2026-02-30":                      invalidParameter(`date_to "2026-02-30" is not a real calendar date or time; ` + acceptedMoments),
		"date_from=2026-01-01T10:00+02:00":        invalidParameter(`date_from "2026-01-01T10:00 02:00" is not a date or date-time; ` + acceptedMoments + plusHint),
		"date_from=2026-01-02&date_to=2026-01-01": invalidRange,
		"starting_after=nonsense":                 invalidCursor,
	})
	wantRefusals(t, srv, interviews+"/9c4d2a7e-0f63-4b1d-8e25-6a7b8c9d0e1f", map[string]refusal{
		"limit=1": {"unknown_parameter", "Unknown query parameter", `"limit" is not a parameter of this route; it takes none`},
	})
	wantRefusals(t, srv, campaigns, map[string]refusal{
		"campaign=winter":                unknownParameter("campaign", ofInterviews+", updated_since"),
		"updated_since=":                 invalidUpdatedSince("updated_since is empty; give a value or leave it out"),
		"updated_since=yesterday":        invalidUpdatedSince(`updated_since "yesterday" is not a date or date-time; ` + acceptedMoments),
		"updated_since=2026-01-01T24:00": invalidUpdatedSince(`updated_since "2026-01-01T24:00" is not a real calendar date or time; ` + acceptedMoments),
		"updated_since=2026-01-01T10:00:00+02:00": invalidUpdatedSince(
			`updated_since "2026-01-01T10:00:00 02:00" is not a date or date-time; ` + acceptedMoments + plusHint),
		"updated_since=2026-01-01&updated_since=2026-01-01": invalidUpdatedSince("updated_since is given more than once; give it once"),
	})
	wantRefusals(t, srv, analyticsPath, map[string]refusal{
		"starting_after=x": unknownParameter("starting_after", "campaign, date_from, date_to"),
		"date_from=2026-02-01T00:00:01Z&date_to=2026-02-01T00:00": invalidRange,
	})
	wantRefusals(t, srv, searchPath, map[string]refusal{
		"campaign=x":                 invalidParameter("q is required: a text of 1 to 500 characters"),
		"q=%E2%80%83%C2%A0%E3%80%80": invalidParameter("q must contain more than white space"),
		"q=" + strings.Repeat("%C3%A9", 501): invalidParameter(
			`q must be a text of 1 to 500 characters, not "` + strings.Repeat("é", 60) + `…"`),
		"q=a&starting_after=x": unknownParameter("starting_after", "campaign, limit, q"),
	})
	srv.Get(t, searchPath+"?q="+strings.Repeat("%C3%A9", 500), srv.KeyFor(t, "acme")).WantStatus(t, 200)
	for name, long := range map[string]string{"text": strings.Repeat("x", 1000), "no text": strings.Repeat("%ff", 1000)} {
		if got := srv.Get(t, interviews+"?"+long+"=1", srv.KeyFor(t, "acme")).Details(t); len(got) > 400 {
			t.Errorf("a long name of %s is echoed whole: %d characters", name, len(got))
		}
	}
}

// Each mode of synthesis has parameters that the other one lacks.
func TestParameters_OfSynthesis(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	const types = " is available with surface=portal only; without it, type is lane, campaign, home or daily_feed"
	const feedOnly = " goes with type=daily_feed only, not with type="
	const dayOrRange = " does not go together with day; give a day or a range"
	const laneID = "lane_id does not go with surface=portal; use type=lane and the lane's slug in lane"
	const since = "updated_since does not go with surface=portal; leave surface out to see what changed"
	wantRefusals(t, srv, synthesisPath, map[string]refusal{
		"type=lanes":                        invalidParameter(`type must be one of home, daily_feed, lane, campaign, playbook, creative_concept, not "lanes"`),
		"surface=home":                      invalidParameter(`surface must be one of portal, not "home"`),
		"type=playbook":                     unsupportedParameter("type=playbook" + types),
		"type=creative_concept":             unsupportedParameter("type=creative_concept" + types),
		"type=lane&lane=a":                  unsupportedParameter("lane is available with surface=portal only; without it, filter by lane_id"),
		"campaign=winter":                   unsupportedParameter("campaign is available with surface=portal only; without it, filter by campaign_id"),
		"type=home&day=soon":                unsupportedParameter("day" + feedOnly + "home"),
		"type=lane&date_from=2026-03-04":    unsupportedParameter("date_from" + feedOnly + "lane"),
		"type=campaign&date_to=2026-03-04":  unsupportedParameter("date_to" + feedOnly + "campaign"),
		"day=2026-03-04&date_to=2026-03-04": unsupportedParameter("date_to" + dayOrRange),
		"day=soon":                          invalidParameter(`day "soon" is not a date or date-time; ` + acceptedDays),
		"day=2026-02-30":                    invalidParameter(`day "2026-02-30" is not a real calendar date or time; ` + acceptedDays),
		"date_from=2026-03-04T00:00Z":       invalidParameter(`date_from "2026-03-04T00:00Z" has a time of day; ` + acceptedDays),
	})
	wantRefusals(t, srv, synthesisPath, map[string]refusal{
		"surface=portal&type=lane&lane_id=x":             unsupportedParameter(laneID),
		"surface=portal&campaign_id=x":                   unsupportedParameter("campaign_id does not go with surface=portal; use type=campaign and the campaign's slug in campaign"),
		"surface=portal&type=home&updated_since=soon":    unsupportedParameter(since),
		"surface=portal&lane=checkout":                   unsupportedParameter("lane goes with type=lane only, not with type=home"),
		"surface=portal&type=lane&campaign=winter":       unsupportedParameter("campaign goes with type=campaign only, not with type=lane"),
		"surface=portal&day=2026-03-04":                  unsupportedParameter("day" + feedOnly + "home"),
		"surface=portal&type=lane&date_from=2026-03-04":  unsupportedParameter("date_from" + feedOnly + "lane"),
		"surface=portal&type=playbook&date_to=soon":      unsupportedParameter("date_to" + feedOnly + "playbook"),
		"surface=portal&type=daily_feed&date_to=2026034": invalidParameter(`date_to "2026034" is not a date or date-time; ` + acceptedDays),
		"surface=portal&type=daily_feed&day=2026-03-04&date_from=2026-03-04": unsupportedParameter(
			"date_from" + dayOrRange),
		"surface=portal&type=daily_feed&day=2026-03-04T00:00Z": invalidParameter(`day "2026-03-04T00:00Z" has a time of day; ` + acceptedDays),
	})
}
