package server_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// refusalWords is an error envelope, word for word.
type refusalWords struct{ code, message, details string }

const (
	acceptedMoments = "accepted: YYYY-MM-DD, or YYYY-MM-DDThh:mm[:ss[.fraction]] with Z, an offset ±hh:mm or nothing (UTC)"
	plusHint        = "; in a URL, write the plus sign of an offset as %2B"
	cursorRefused   = "starting_after was not issued for this list: pass meta.next_cursor unchanged, on the same route with the same filters, or start again without it"
)

func invalidParameter(details string) refusalWords {
	return refusalWords{"invalid_parameter", "Invalid query parameter", details}
}

func invalidUpdatedSince(details string) refusalWords {
	return refusalWords{"invalid_updated_since", "Invalid updated_since", details}
}

func unsupportedParameter(details string) refusalWords {
	return refusalWords{"unsupported_parameter", "Unsupported query parameter", details}
}

// wantRefusals sends each query to a route and pins what it is refused with.
func wantRefusals(t *testing.T, srv *apitest.Server, path, key string, refusals map[string]refusalWords) {
	t.Helper()
	for query, want := range refusals {
		answer := srv.Get(t, path+"?"+query, key)
		if answer.Status != 400 {
			t.Errorf("%s: status %d, want 400; body %s", query, answer.Status, answer.Body)
			continue
		}
		var got struct{ Error, Details, Code string }
		answer.Decode(t, &got)
		if (refusalWords{got.Code, got.Error, got.Details}) != want {
			t.Errorf("%s: refused with\n got %+v\nwant %+v", query, got, want)
		}
	}
}

func TestListCampaigns_RefusedParameters(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Campaign(t, "acme", nil)
	wantRefusals(t, srv, campaigns, srv.KeyFor(t, "acme"), map[string]refusalWords{
		"limit=0":          invalidParameter(`limit must be a whole number from 1 to 200, in plain digits, not "0"`),
		"limit=201":        invalidParameter(`limit must be a whole number from 1 to 200, in plain digits, not "201"`),
		"limit=1&limit=1":  invalidParameter("limit is given more than once; give it once"),
		"status=":          invalidParameter("status is empty; give a value or leave it out"),
		"campaign_id=":     invalidParameter("campaign_id is empty; give a value or leave it out"),
		"campaign_id=%00":  invalidParameter("campaign_id contains a NUL character, which no value does"),
		"status=%ff":       invalidParameter("status is not valid UTF-8"),
		"date_from=soon":   invalidParameter(`date_from "soon" is not a date or date-time; ` + acceptedMoments),
		"date_to=2026-2-1": invalidParameter(`date_to "2026-2-1" is not a date or date-time; ` + acceptedMoments),
		"date_to=2026-01-01T10:00+02:00": invalidParameter(
			`date_to "2026-01-01T10:00 02:00" is not a date or date-time; ` + acceptedMoments + plusHint),
		"date_from=2026-03-02&date_to=2026-03-01": {"invalid_date_range", "Invalid date range",
			"date_from is later than date_to; swap them or leave one out"},
		"campaign=winter": {"unknown_parameter", "Unknown query parameter",
			`"campaign" is not a parameter of this route; it takes campaign_id, date_from, date_to, limit, starting_after, status, updated_since`},
		"starting_after=nonsense": {"invalid_cursor", "Invalid cursor", cursorRefused},
		"starting_after=":         {"invalid_cursor", "Invalid cursor", cursorRefused},

		"updated_since=":                 invalidUpdatedSince("updated_since is empty; give a value or leave it out"),
		"updated_since=yesterday":        invalidUpdatedSince(`updated_since "yesterday" is not a date or date-time; ` + acceptedMoments),
		"updated_since=2026-02-29":       invalidUpdatedSince(`updated_since "2026-02-29" is not a real calendar date or time; ` + acceptedMoments),
		"updated_since=2026-01-01T24:00": invalidUpdatedSince(`updated_since "2026-01-01T24:00" is not a real calendar date or time; ` + acceptedMoments),
		"updated_since=0000-01-01":       invalidUpdatedSince(`updated_since "0000-01-01" is not a real calendar date or time; ` + acceptedMoments),
		"updated_since=1767225600":       invalidUpdatedSince(`updated_since "1767225600" is not a date or date-time; ` + acceptedMoments),
		"updated_since=2026-01-01T10:00:00+02:00": invalidUpdatedSince(
			`updated_since "2026-01-01T10:00:00 02:00" is not a date or date-time; ` + acceptedMoments + plusHint),
		"updated_since=2026-01-01&updated_since=2026-01-01": invalidUpdatedSince("updated_since is given more than once; give it once"),
	})
}

// updated_since is inclusive to the microsecond, and what has never been changed
// does not match any.
func TestListCampaigns_UpdatedSinceBoundaries(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	changed := seed.Campaign(t, "acme", apitest.Fields{"updated_at": apitest.At("2026-03-02T00:00:00.000001Z")}).String()
	seed.Campaign(t, "acme", apitest.Fields{"updated_at": nil})
	key := srv.KeyFor(t, "acme")
	for since, matches := range map[string]bool{
		"2026-03-02":                          true,
		"2026-03-03":                          false,
		"2026-03-02T00:00":                    true,
		"2026-03-02T00:00:00.000001Z":         true,
		"2026-03-02T00:00:00.000001999Z":      true, // cut off, not rounded
		"2026-03-02T00:00:00.000002":          false,
		"2026-03-02T02:00:00.000001%2B02:00":  true,
		"2026-03-01T22:00:00.000001-02:00":    true,
		"2026-03-01T22:00:00.000002-02:00":    false,
		"0001-01-01":                          true,
		"9999-12-31T23:59:59.999999999-00:00": false,
	} {
		var want []string
		if matches {
			want = []string{changed}
		}
		srv.Get(t, campaigns+"?updated_since="+since, key).WantIDs(t, want...)
	}
}
