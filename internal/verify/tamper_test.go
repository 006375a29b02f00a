package verify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/verify"
)

const (
	client = "6f1c2d34-8a4b-4c7e-9f10-2b7d5e8c9a01"
	one    = "11111111-1111-4111-8111-111111111111"
	two    = "22222222-2222-4222-8222-222222222222"
	asOf   = "2026-03-05T09:00:00.123456Z"
)

func hexSHA256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// canonical is a body with right hashes, made here by hand; scope is in its
// canonical form, without the client.
func canonical(data, more, scope string, count, total int, ids ...string) string {
	scopeHash := hexSHA256(`{"client_id":"` + client + `",` + scope + `}`)
	membership := hexSHA256(strings.Join(ids, "\n"))
	preview := uuid.NewSHA1(uuid.MustParse(client), []byte(scopeHash+"\n"+membership+"\n"+asOf))
	list, _ := json.Marshal(ids)
	return fmt.Sprintf(`{"data": %s, "meta": {"client_id": %q, "count": %d, %s
		"measurement_mode": "canonical", "measurement_total_count": %d, "measurement_as_of": %q,
		"measurement_contract_version": "canonical_measurement.v1", "measurement_count_basis": "usable_interviews",
		"measurement_omitted_fields": [], "measurement_basis": {"schema": "measurement_query_basis.v1", "preview_id": %q,
		"captured": false, "as_of": %q, "measurement_contract_version": "canonical_measurement.v1", "scope_hash": %q,
		"membership_hash": %q, "source_interview_ids": %s, "source_count": %d}}}`,
		data, client, count, more, total, asOf, preview, asOf, scopeHash, membership, list, len(ids))
}

func interviewsBody() string {
	return canonical(fmt.Sprintf(`[{"id": %q, "client_id": %q, "status": "completed", "created_at": "2026-03-02T00:00:00.000000Z"},
			{"id": %q, "client_id": %q, "status": "analyzed", "created_at": "2026-03-02T00:00:00.000000Z"}]`, one, client, two, client),
		`"has_more": false, "next_cursor": null,`, `"filters":{},"route":"/interviews"`, 2, 2, one, two)
}

func analyticsBody() string {
	return canonical(`{"total": 2,
		"volume": [{"label": "2026-03-01", "value": 1}, {"label": "2026-03-02", "value": 0}, {"label": "2026-03-03", "value": 1}],
		"campaigns": [{"label": "Spring", "value": 1}, {"label": "Uncategorized", "value": 1}],
		"sentiment": [{"label": "promoter", "value": 1}, {"label": "passive", "value": 0}, {"label": "detractor", "value": 0}, {"label": "unknown", "value": 1}],
		"rows": [{"date": "2026-03-03", "campaignSlug": "spring", "campaignLabel": "Spring", "sentiment": "promoter"},
			{"date": "2026-03-01", "campaignSlug": "uncategorized", "campaignLabel": "Uncategorized", "sentiment": "unknown"}]}`,
		"", `"filters":{},"route":"/analytics/interviews"`, 2, 9, one, two)
}

func searchBody() string {
	return canonical(fmt.Sprintf(`[{"id": %q, "conversation_goal": null, "created_at": "2026-03-03T00:00:00.000000Z", "matched_fields": ["best_quote"]},
			{"id": %q, "conversation_goal": null, "created_at": "2026-03-02T00:00:00.500000Z", "matched_fields": ["best_quote"]}]`, two, one),
		`"query": "lät\"e",`, `"filters":{"limit":"50","q":"lät\"e"},"route":"/intelligence/search"`, 2, 9, one, two)
}

func detailBody() string {
	return canonical(fmt.Sprintf(`{"interview": {"id": %q, "client_id": %q, "status": "completed", "created_at": "2026-03-02T00:00:00.000000Z"}}`, one, client),
		"", `"filters":{"id":"`+one+`"},"route":"/interviews/{id}"`, 1, 9, one)
}

func synthesisBody() string {
	return fmt.Sprintf(`{"data": [{"id": %q, "client_id": %q, "synthesis_type": "home", "last_refreshed": null, "updated_at": "2026-03-02T00:00:00.000000Z"}],
		"meta": {"client_id": %q, "count": 1, "has_more": false, "next_cursor": null, "types": ["home"], "measurement_mode": "legacy"}}`, one, client, client)
}

func portalBody() string {
	ids, _ := json.Marshal([]string{one, two})
	return fmt.Sprintf(`{"data": [{"schema": "portal_home.v2", "measurement_integrity": {"status": "verified_saved_basis",
		"measurement_basis": {"schema": "measurement_basis.v2", "snapshot_id": %q, "as_of": "2026-03-01T00:00:00.000000Z",
			"measurement_contract_version": "canonical_measurement.v1", "scope_hash": %q, "membership_hash": %q, "source_interview_ids": %s, "source_count": 2},
		"freshness": {"status": "comparable", "reason": null, "saved_as_of": "2026-03-01T00:00:00.000000Z", "live_as_of": %q,
			"saved_contract_version": "canonical_measurement.v1", "live_contract_version": "canonical_measurement.v1"}}}],
		"meta": {"client_id": %q, "count": 1, "has_more": false, "next_cursor": null, "type": "home", "measurement_mode": "canonical",
			"measurement_total_count": 9, "measurement_as_of": %q, "measurement_contract_version": "canonical_measurement.v1",
			"measurement_count_basis": "usable_interviews", "measurement_omitted_fields": ["measurement_basis"]}}`,
		two, hexSHA256(`{"client_id":"`+client+`","filters":{"surface":"portal","type":"home"},"route":"/synthesis"}`),
		hexSHA256(one+"\n"+two), ids, asOf, client, asOf)
}

// What was changed in a saved response is found, and named by what it breaks.
func TestVerify_ChangesAreFound(t *testing.T) {
	t.Parallel()
	other := hexSHA256("other")
	for name, c := range map[string]struct {
		body, old, changed string
		fails              []string
	}{
		"count":                  {interviewsBody(), `"count": 2`, `"count": 3`, []string{"count"}},
		"no has_more":            {interviewsBody(), `"has_more": false, "next_cursor": null,`, ``, []string{"cursor"}},
		"a time":                 {interviewsBody(), `"created_at": "2026-03-02T00:00:00.000000Z"`, `"created_at": "2026-03-02T00:00:00.000000+00:00"`, []string{"times", "order"}},
		"a document's type":      {synthesisBody(), `"synthesis_type": "home"`, `"synthesis_type": "lane"`, []string{"types"}},
		"no count":               {interviewsBody(), `"count": 2,`, ``, []string{"count"}},
		"more, without a cursor": {interviewsBody(), `"has_more": false`, `"has_more": true`, []string{"cursor", "rows_in_basis"}},
		"an id":                  {interviewsBody(), `["` + one, `["` + strings.Replace(one, "1", "0", 1), []string{"membership_hash", "rows_in_basis"}},
		"an id twice":            {interviewsBody(), `["` + one, `["` + one + `","` + one, []string{"source_interview_ids", "source_count", "membership_hash", "rows_in_basis", "measurement_total_count"}},
		"no id":                  {interviewsBody(), `["` + one, `["x`, []string{"source_interview_ids", "membership_hash", "rows_in_basis"}},
		"source_count":           {interviewsBody(), `"source_count": 2`, `"source_count": 1`, []string{"source_count"}},
		"membership_hash":        {interviewsBody(), hexSHA256(one + "\n" + two), other, []string{"membership_hash", "preview_id"}},
		"preview_id":             {interviewsBody(), `"preview_id": "`, `"preview_id": "f`, []string{"preview_id"}},
		"total":                  {interviewsBody(), `"measurement_total_count": 2`, `"measurement_total_count": 3`, []string{"measurement_total_count"}},
		"as_of":                  {interviewsBody(), `"measurement_as_of": "2026`, `"measurement_as_of": "2027`, []string{"basis_moment"}},
		"the digits of as_of":    {interviewsBody(), `"as_of": "` + asOf, `"as_of": "2026-03-05T09:00:00.12345Z`, []string{"basis_moment", "preview_id"}},
		"a field less":           {interviewsBody(), `"measurement_count_basis": "usable_interviews",`, ``, []string{"measurement"}},
		"omitted, yet there":     {interviewsBody(), `"measurement_omitted_fields": []`, `"measurement_omitted_fields": ["measurement_basis"]`, []string{"measurement"}},
		"legacy with figures":    {interviewsBody(), `"measurement_mode": "canonical"`, `"measurement_mode": "legacy"`, []string{"measurement"}},
		"another's row":          {interviewsBody(), `"client_id": "6f1c`, `"client_id": "0f1c`, []string{"client_id"}},
		"the client":             {interviewsBody(), `"meta": {"client_id": "6f1c`, `"meta": {"client_id": "0f1c`, []string{"client_id", "preview_id"}},
		"the rows' order":        {interviewsBody(), `"created_at": "2026-03-02`, `"created_at": "2026-03-01`, []string{"order"}},
		"a row":                  {interviewsBody(), `{"id": "` + one, `{"id": "01111111-1111-4111-8111-111111111111`, []string{"rows_in_basis"}},

		"analytics total":         {analyticsBody(), `"total": 2`, `"total": 3`, []string{"total"}},
		"a day's volume":          {analyticsBody(), `"2026-03-02", "value": 0`, `"2026-03-02", "value": 1`, []string{"volume"}},
		"a day left out":          {analyticsBody(), `{"label": "2026-03-02", "value": 0}, `, ``, []string{"volume"}},
		"a campaign's value":      {analyticsBody(), `"Spring", "value": 1`, `"Spring", "value": 2`, []string{"campaigns"}},
		"a campaign more":         {analyticsBody(), `"campaigns": [`, `"campaigns": [{"label": "x", "value": 0}, `, []string{"campaigns"}},
		"a sentiment":             {analyticsBody(), `"sentiment": "promoter"`, `"sentiment": "passive"`, []string{"sentiment"}},
		"analytics rows' order":   {analyticsBody(), `"date": "2026-03-03"`, `"date": "2026-02-28"`, []string{"order", "volume"}},
		"analytics ids":           {analyticsBody(), `,"` + two, `,"33333333-3333-4333-8333-333333333333","` + two, []string{"source_interview_ids", "source_count", "membership_hash", "rows_in_basis"}},
		"a hit that is not there": {searchBody(), `{"id": "` + one, `{"id": "33333333-3333-4333-8333-333333333333`, []string{"rows_in_basis"}},
		"the hits' order":         {searchBody(), `"created_at": "2026-03-03`, `"created_at": "2026-03-01`, []string{"order"}},
		"a detail of another":     {detailBody(), `"source_interview_ids": ["` + one, `"source_interview_ids": ["` + two, []string{"membership_hash", "rows_in_basis"}},

		"a saved id":              {portalBody(), `["` + one, `["` + strings.Replace(one, "1", "0", 1), []string{"data[0].membership_hash"}},
		"a saved count":           {portalBody(), `"source_count": 2`, `"source_count": 3`, []string{"data[0].source_count"}},
		"a saved moment":          {portalBody(), `"saved_as_of": "2026`, `"saved_as_of": "2025`, []string{"data[0].freshness"}},
		"a live version":          {portalBody(), `"live_contract_version": "canonical_measurement.v1"`, `"live_contract_version": "legacy"`, []string{"data[0].freshness"}},
		"freshness":               {portalBody(), `"reason": null`, `"reason": "scope_changed"`, []string{"data[0].freshness"}},
		"unverifiable with basis": {portalBody(), `verified_saved_basis`, `historical_unverifiable`, []string{"data[0].measurement_integrity"}},
		"an unknown status":       {portalBody(), `verified_saved_basis`, `trust_me`, []string{"data[0].measurement_integrity"}},
		"no integrity":            {portalBody(), `measurement_integrity`, `integrity`, []string{"data[0].measurement_integrity"}},
	} {
		wantNoFailure(t, run(t, c.body, ""), name+", before")
		changed := strings.Replace(c.body, c.old, c.changed, 1)
		if changed == c.body {
			t.Fatalf("%s: nothing was changed", name)
		}
		check.Slices(t, with(t, run(t, changed, ""), verify.Failed, 1), c.fails, name)
	}
}

// No input makes it panic.
func FuzzVerify(f *testing.F) {
	for _, seed := range []string{
		interviewsBody(), analyticsBody(), searchBody(), detailBody(), portalBody(), "[" + interviewsBody() + ",{}]",
		`{"request": "/interviews?status=a", "response": {"data": [], "meta": {"has_more": true, "next_cursor": "x"}}}`,
	} {
		f.Add(seed, "/interviews")
	}
	f.Fuzz(func(t *testing.T, input, address string) {
		if request, err := verify.ParseRequest(address); err == nil {
			_, _ = verify.Verify(strings.NewReader(input), request)
		}
		_, _ = verify.Verify(strings.NewReader(input), nil)
	})
}

// Without a request, the scopes that need none are found by their hash.
func TestVerify_ScopesThatTellThemselves(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"interviews": interviewsBody(), "analytics": analyticsBody(), "search": searchBody(), "detail": detailBody(),
	} {
		if holds := with(t, run(t, body, ""), verify.Passed, 1); !slices.Contains(holds, "scope_hash") {
			t.Errorf("%s: only %v hold", name, holds)
		}
	}
	filtered := canonical(`[]`, `"has_more": false, "next_cursor": null,`, `"filters":{"status":"x"},"route":"/interviews"`, 0, 9)
	check.Slices(t, with(t, run(t, filtered, ""), verify.Skipped, 1), []string{"scope_hash", "measurement_total_count"}, "not checked of a filtered list without its request")
}

func TestVerify_RequestsAreUnderstood(t *testing.T) {
	t.Parallel()
	search := searchBody()
	for address, want := range map[string]verify.Outcome{
		"/api/client/v1/intelligence/search?q=l%C3%A4t%22e":                           verify.Passed,
		"https://x.example/api/client/v1/intelligence/search?limit=50&q=l%C3%A4t%22e": verify.Passed,
		"/intelligence/search?q=l%C3%A4t%22e":                                         verify.Passed,
		"/intelligence/search?q=l%C3%A4t%22e&limit=51":                                verify.Failed,
		"/intelligence/search?q=l%C3%A4t":                                             verify.Failed,
		"/intelligence/search?q=l%C3%A4t%22e&campaign=x":                              verify.Failed,
	} {
		if got := with(t, run(t, search, address), want, 1); !slices.Contains(got, "scope_hash") {
			t.Errorf("%s: scope_hash is not among what %s: %v", address, want, got)
		}
	}
	check.Slices(t, with(t, run(t, detailBody(), "/interviews/"+two), verify.Failed, 1), []string{"request", "scope_hash"}, "what fails of a request for another interview")
	if got := with(t, run(t, search, "/interviews"), verify.Failed, 1); !slices.Equal(got, []string{"request", "scope_hash", "measurement_total_count"}) {
		t.Errorf("a request for another route: %v fail", got)
	}
}

// What is no response is refused with its place; an error response is one.
func TestVerify_UnreadableInputIsReported(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":                                     "the input holds no response",
		" \n[]":                                "the input holds no response",
		"hello":                                "the JSON value after byte 0: invalid character 'h'",
		"[1]":                                  "response 1: this is no response of this API: a part is a JSON number",
		"{}\n":                                 "response 1: this is no response of this API: it lacks data or meta",
		interviewsBody() + "\n{":               "the JSON value after byte ",
		"[" + interviewsBody():                 "the JSON value after byte 0: unexpected EOF",
		`{"data": [], "meta": {"count": "1"}}`: "response 1: this is no response of this API: meta.count is a JSON string",
		`{"data": [1], "meta": {}}`:            "response 1: this is no response of this API: a part is a JSON number",
		`{"request": "/interviews?x=%zz", "response": {}}`: `response 1: "/interviews?x=%zz" has a query that cannot be read`,
	} {
		_, err := verify.Verify(strings.NewReader(input), nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", input, err, want)
		}
	}
	if v := run(t, `{"error": "rate_limited", "code": "rate_limited"}`, ""); v.Skipped != 1 || v.Failed != 0 {
		t.Errorf("an error response: %+v", v)
	}
}
