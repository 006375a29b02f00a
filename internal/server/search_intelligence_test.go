package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

const searchPath = "/api/client/v1/intelligence/search"

func searchFor(q string) string { return searchPath + "?q=" + url.QueryEscape(q) }

// quoted adds a usable interview in which nothing can be found but the quote.
func quoted(t *testing.T, seed *apitest.Seed, client, quote string) string {
	t.Helper()
	return seed.Interview(t, client, apitest.Fields{"best_quote": quote, "custom_extraction": nil})
}

func TestSearchIntelligence_DeclaredRefusals(t *testing.T) {
	t.Parallel()
	checkDeclaredRefusals(t, searchFor("x"), auth.ReadCustomExtraction)
}

// A database that does not answer in time is a 503, never an empty list.
func TestSearchIntelligence_ASlowDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.StatementTimeout = 100 * time.Millisecond })
	quoted(t, seed, "acme", "works")
	key := srv.KeyFor(t, "acme")
	seed.Exec(t, "BEGIN")
	seed.Exec(t, "LOCK TABLE search_documents")
	answer := srv.Get(t, searchFor("works"), key).WantError(t, 503, "service_unavailable", "service_unavailable")
	if answer.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	seed.Exec(t, "ROLLBACK")
	check.Equal(t, len(srv.Get(t, searchFor("works"), key).List(t).Data), 1, "hits afterwards")
}

// Strings as they are, lists as their strings, anything else null; the quote of
// the interview where the extraction has none. Nothing matches across fields.
func TestSearchIntelligence_Fields(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	key := srv.KeyFor(t, "acme", auth.ReadCustomExtraction)
	campaign := seed.Campaign(t, "acme", apitest.Fields{"slug": "winter-launch"})
	for _, c := range []struct {
		name, extraction, hit string
		quote, q              any
	}{
		{
			"everything", `{"best_quote": "Needle A", "primary_pain_points": ["needle", 7, null, "slow; late", ["needle"], {"a": "needle"}, true],
				"feature_requests": {"needle": "needle"}, "product_feedback": "", "competitor_mentions": 12}`,
			`{"best_quote": "Needle A", "primary_pain_points": "needle; slow; late", "feature_requests": null, "product_feedback": "",
				"competitor_mentions": null, "matched_fields": ["best_quote", "primary_pain_points"]}`, "another needle", "NEEDLE",
		},
		{
			"the interview's own quote", `{"best_quote": null, "product_feedback": ["a", "needle"], "other": "needle"}`,
			`{"best_quote": "its own needle", "primary_pain_points": null, "feature_requests": null, "product_feedback": "a; needle",
				"competitor_mentions": null, "matched_fields": ["best_quote", "product_feedback"]}`, "its own needle", "needle",
		},
		{
			"a list without strings is null", `{"best_quote": [1, null], "competitor_mentions": ["x needle"], "feature_requests": [], "primary_pain_points": [["needle"]]}`,
			`{"best_quote": null, "primary_pain_points": null, "feature_requests": null, "product_feedback": null,
				"competitor_mentions": "x needle", "matched_fields": ["competitor_mentions"]}`, nil, "needle",
		},
		{
			"across elements of a list", `{"feature_requests": ["nee", "dle"]}`,
			`{"best_quote": null, "primary_pain_points": null, "feature_requests": "nee; dle", "product_feedback": null,
				"competitor_mentions": null, "matched_fields": ["feature_requests"]}`, nil, "EE; D",
		},
		{"across fields", `{"best_quote": "nee", "primary_pain_points": "dle"}`, "", nil, "needle"},
		{"across fields, with what stands between them", `{"best_quote": "nee", "primary_pain_points": "dle"}`, "", nil, "nee\uffffdle"},
		{"across fields, with a white space", `{"best_quote": "nee", "primary_pain_points": "dle"}`, "", nil, "nee dle"},
		{"a name is no text", `{"primary_pain_points": "x"}`, "", nil, "primary"},
		{"an empty extraction", `{}`, "", nil, "needle"},
	} {
		id := seed.Interview(t, "acme", apitest.Fields{
			"best_quote": c.quote, "custom_extraction": json.RawMessage(c.extraction), "campaign_id": campaign,
			"created_at": apitest.At("2026-03-04T16:20:05.25Z"),
		})
		list := srv.Get(t, searchFor(fmt.Sprint(c.q)), key).List(t)
		switch {
		case c.hit == "" && len(list.Data) > 0:
			t.Errorf("%s: found", c.name)
		case c.hit != "" && len(list.Data) != 1:
			t.Errorf("%s: %d hits, want 1", c.name, len(list.Data))
		case c.hit != "":
			var want map[string]any
			require.NoError(t, json.Unmarshal([]byte(c.hit), &want))
			want["id"], want["conversation_goal"], want["created_at"] = id, "winter-launch", "2026-03-04T16:20:05.250000Z"
			wantHit(t, c.name, list.Data[0], want)
		}
		seed.Exec(t, "DELETE FROM interviews WHERE id = $1", id)
	}
}

func wantHit(t *testing.T, name string, got map[string]json.RawMessage, want map[string]any) {
	t.Helper()
	check.Equal(t, len(got), len(want), name)
	for field, value := range want {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		check.Equal(t, string(got[field]), string(text), name, field)
	}
}

func TestSearchIntelligence_Meta(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	quoted(t, seed, "acme", "Needle")
	legacy := srv.Get(t, searchFor("\u2003 nEEdle\n"), srv.KeyFor(t, "acme", auth.ReadCustomExtraction)).List(t).Meta
	want := map[string]string{
		"client_id": `"` + seed.Clients["acme"].String() + `"`, "count": "1", "query": `"nEEdle"`, "measurement_mode": `"legacy"`,
		"includes_customer_identity": "false", "includes_transcripts": "false", "includes_raw_extraction": "false", "includes_custom_extraction": "true",
	}
	for field, value := range legacy {
		check.Equal(t, string(value), want[field], field)
	}
	check.Equal(t, len(legacy), len(want), legacy)

	seed.Campaign(t, "globex", apitest.Fields{"slug": "spring"})
	ids := []string{quoted(t, seed, "globex", "needle"), quoted(t, seed, "globex", "needle"), quoted(t, seed, "globex", "needle")}
	quoted(t, seed, "globex", "hay")
	slices.Sort(ids)
	key := srv.KeyFor(t, "globex")
	for query, c := range map[string]struct {
		filters string
		ids     []string
	}{
		"q=%20needle":                  {`{"limit":"50","q":" needle"}`, ids},
		"q=NEEDLE&limit=2":             {`{"limit":"2","q":"NEEDLE"}`, ids[:2]},
		"q=needle&campaign=spring":     {`{"campaign":"spring","limit":"50","q":"needle"}`, []string{}},
		"q=%22%5C&limit=50&campaign=x": {`{"campaign":"x","limit":"50","q":"\"\\"}`, []string{}},
	} {
		m, b := measuredOf(t, srv.Get(t, searchPath+"?"+query, key))
		if b == nil || *m.Total != 4 {
			t.Fatalf("%s: measured %+v", query, m)
		}
		if !slices.Equal(b.IDs, c.ids) || b.Count != len(c.ids) {
			t.Errorf("%s: basis of %d ids %v, want %v", query, b.Count, b.IDs, c.ids)
		}
		if got := hexSHA256(`{"client_id":"` + seed.Clients["globex"].String() + `","filters":` + c.filters + `,"route":"/intelligence/search"}`); b.ScopeHash != got {
			t.Errorf("%s: scope_hash %s, want %s", query, b.ScopeHash, got)
		}
	}
}
