package server_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// refusals are queries with the code that refuses each, and a part of its details: the
// parameter, what is wrong, or what is accepted.
type refusals map[string][2]string

const (
	invalid     = "invalid_parameter"
	unknown     = "unknown_parameter"
	unsupported = "unsupported_parameter"
	noSince     = "invalid_updated_since"
)

// Nothing in a query string is ignored: a mistyped filter would widen the response. Which
// values are refused is tested against the contract, with the handlers.
func TestParameters_RefusedInTheseWords(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for path, queries := range map[string]refusals{
		interviews: {
			"limit=0":                          {invalid, `limit must be a whole number from 1 to 200, in plain digits, not "0"`},
			"limit=%2B5":                       {invalid, `not "+5"`},
			"limit":                            {invalid, "limit is empty; give a value or leave it out"},
			"limit=1&limit=1":                  {invalid, "limit is given more than once; give it once"},
			"status=a%00b":                     {invalid, "status contains a NUL character"},
			"status=%ff":                       {invalid, "status is not valid UTF-8"},
			"status=100%":                      {invalid, "write it as %25"},
			"%zz=x":                            {invalid, "the query string is malformed"},
			"a;b=x":                            {unknown, `"a;b" is not a parameter of this route; it takes campaign_id, date_from,`},
			"Status=completed":                 {unknown, `"Status" is not`},
			"updated_since=2026-01-01":         {"updated_since_unsupported", "use date_from and date_to"},
			"date_from=yesterday":              {invalid, `"yesterday" is not a date or date-time; accepted: YYYY-MM-DD, or`},
			"date_to=2026-02-30":               {invalid, `date_to "2026-02-30" is not a real calendar date`},
			"date_from=2026-01-01T10:00+02:00": {invalid, "write the plus sign of an offset as %2B"},
			"date_from=2026-01-02&date_to=2026-01-01": {"invalid_date_range", "date_from is later than date_to"},
			"starting_after=nonsense":                 {"invalid_cursor", "pass meta.next_cursor unchanged"},
			// Whatever is wrong with a value, the code is its parameter's own.
			"starting_after=abc%2":             {"invalid_cursor", ""},
			"limit=%zz&starting_after=x":       {invalid, ""},
			"unknown=%zz":                      {invalid, ""},
			"date_from=%zz&date_to=2026-01-01": {invalid, ""},
		},
		interviews + "/9c4d2a7e-0f63-4b1d-8e25-6a7b8c9d0e1f": {"limit=1": {unknown, "it takes none"}},
		campaigns: {
			"campaign=winter":                                   {unknown, "status, updated_since"},
			"updated_since=":                                    {noSince, "updated_since is empty"},
			"updated_since=2026-01-01T00:00%2":                  {noSince, ""},
			"updated_since=%zz&limit=0":                         {invalid, ""},
			"updated_since=yesterday":                           {noSince, "accepted: YYYY-MM-DD"},
			"updated_since=2026-01-01T24:00":                    {noSince, "is not a real calendar date or time"},
			"updated_since=2026-01-01T10:00:00+02:00":           {noSince, "%2B"},
			"updated_since=2026-01-01&updated_since=2026-01-01": {noSince, "more than once"},
		},
		analyticsPath: {
			"starting_after=x": {unknown, "it takes campaign, date_from, date_to"},
			"date_from=2026-02-01T00:00:01Z&date_to=2026-02-01T00:00": {"invalid_date_range", "date_from"},
		},
		searchPath: {
			"campaign=x":                         {invalid, "q is required: a text of 1 to 500 characters"},
			"q=%E2%80%83%C2%A0%E3%80%80":         {invalid, "q must contain more than white space"},
			"q=" + strings.Repeat("%C3%A9", 501): {invalid, strings.Repeat("é", 60) + `…"`},
			"q=a&starting_after=x":               {unknown, "it takes campaign, limit, q"},
		},
		synthesisPath: {
			"type=lanes":                        {invalid, "type must be one of home, daily_feed, lane,"},
			"surface=home":                      {invalid, "surface must be one of portal"},
			"surface=%zz&day=x":                 {invalid, ""},
			"type=playbook":                     {unsupported, "type=playbook is available with surface=portal only"},
			"type=creative_concept":             {unsupported, "surface=portal only"},
			"type=lane&lane=a":                  {unsupported, "filter by lane_id"},
			"campaign=winter":                   {unsupported, "filter by campaign_id"},
			"type=home&day=soon":                {unsupported, "day goes with type=daily_feed only, not with type=home"},
			"type=lane&date_from=2026-03-04":    {unsupported, "date_from goes with"},
			"type=campaign&date_to=2026-03-04":  {unsupported, "date_to goes with"},
			"day=2026-03-04&date_to=2026-03-04": {unsupported, "give a day or a range"},
			"day=soon":                          {invalid, "accepted: YYYY-MM-DD, without a time"},
			"date_from=2026-03-04T00:00Z":       {invalid, "has a time of day"},

			"surface=portal&type=lane&lane_id=x":                                 {unsupported, "the lane's slug in lane"},
			"surface=portal&campaign_id=x":                                       {unsupported, "the campaign's slug in campaign"},
			"surface=portal&type=home&updated_since=soon":                        {unsupported, "updated_since does not go with surface=portal"},
			"surface=portal&lane=checkout":                                       {unsupported, "lane goes with type=lane only"},
			"surface=portal&type=lane&campaign=winter":                           {unsupported, "campaign goes with type=campaign only"},
			"surface=portal&day=2026-03-04":                                      {unsupported, "day goes with"},
			"surface=portal&type=playbook&date_to=soon":                          {unsupported, "date_to goes with"},
			"surface=portal&type=daily_feed&date_to=2026034":                     {invalid, "date_to"},
			"surface=portal&type=daily_feed&day=2026-03-04&date_from=2026-03-04": {unsupported, "does not go together with day"},
		},
	} {
		key := srv.Issue(t, keyRequest("acme")).Key
		for query, want := range queries {
			answer := srv.Get(t, path+"?"+query, key).WantStatus(t, 400)
			var got struct{ Details, Code string }
			if answer.Decode(t, &got); got.Code != want[0] || !strings.Contains(got.Details, want[1]) {
				t.Errorf("%s?%s: refused with %+v, want %q", path, query, got, want)
			}
		}
	}
	srv.Get(t, searchPath+"?q="+strings.Repeat("%C3%A9", 500), srv.KeyFor(t, "acme")).WantStatus(t, 200)
	for name, long := range map[string]string{"text": strings.Repeat("x", 1000), "no text": strings.Repeat("%ff", 1000)} {
		if got := srv.Get(t, interviews+"?"+long+"=1", srv.KeyFor(t, "acme")).Details(t); len(got) > 400 {
			t.Errorf("a long name of %s is echoed whole: %d characters", name, len(got))
		}
	}
}
