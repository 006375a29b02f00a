package mcp_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// maxAnswer is the longest answer of a tool whose rows are small, in bytes.
const maxAnswer = 48 << 10

// answer is what the budget decides of an answer.
type answer struct {
	Data json.RawMessage
	Meta struct {
		Count         int
		HasMore       *bool           `json:"has_more"`
		NextCursor    *string         `json:"next_cursor"`
		Basis         json.RawMessage `json:"measurement_basis"`
		OmittedFields []string        `json:"measurement_omitted_fields"`
	}
}

// within calls a tool and reads its answer, which stays within the budget.
func (a agent) within(t *testing.T, tool, arguments string) answer {
	t.Helper()
	r := a.call(t, tool, arguments)
	if r.IsError {
		t.Fatalf("%s %s: %s", tool, arguments, r.Content[0].Text)
	}
	check.DeepEqual(t, decode(t, r.StructuredContent), decode(t, []byte(r.Content[0].Text)), tool, arguments)
	if got := len(r.Content[0].Text); got > maxAnswer {
		t.Errorf("%s %s: the answer has %d bytes, want %d at most", tool, arguments, got, maxAnswer)
	}
	var read answer
	require.NoError(t, json.Unmarshal(r.StructuredContent, &read))
	return read
}

// seedLarge gives a client more of everything than a budget has, and the ids of
// its interviews.
func seedLarge(t *testing.T, seed *apitest.Seed, client string) []uuid.UUID {
	t.Helper()
	var ids []uuid.UUID
	for i := range 110 {
		ids = append(ids, uuid.MustParse(seed.Interview(t, client, apitest.Fields{
			"created_at": apitest.At("2026-03-01"), "best_quote": strings.Repeat("late & <later> ", 60),
			"custom_extraction": json.RawMessage(fmt.Sprintf(`{"primary_pain_points": "late %d"}`, i)),
		})))
	}
	text := strings.Repeat("a long story ", 1500)
	for range 5 {
		seed.Campaign(t, client, apitest.Fields{"campaign_brief": text})
		seed.SynthesisDocument(t, client, apitest.Fields{"document": json.RawMessage(fmt.Sprintf(`{"text": %q}`, text))})
		seed.PortalDocument(t, client, apitest.Fields{"body": json.RawMessage(fmt.Sprintf(`{"schema": "home.v1", "text": %q}`, text))})
	}
	return ids
}

// A page ends before it outgrows the budget, and the walk over such pages has every
// row once, in REST's order.
func TestBudget_PagesEndEarly(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, client := range []string{"acme", "globex"} {
		seedLarge(t, seed, client)
		for tool, query := range map[string]string{
			"list_interviews": "?limit=200", "list_campaigns": "?limit=200", "get_synthesis_document": "?limit=200",
		} {
			a := agent{srv, srv.KeyFor(t, client), "2025-11-25"}
			var want, got []json.RawMessage
			rest := srv.Get(t, routes[tool]+query, srv.KeyFor(t, client))
			var whole answer
			rest.Decode(t, &whole)
			require.NoError(t, json.Unmarshal(whole.Data, &want))
			arguments, pages := `{"limit":200}`, 0
			for {
				page := a.within(t, tool, arguments)
				var rows []json.RawMessage
				require.NoError(t, json.Unmarshal(page.Data, &rows))
				if pages++; len(rows) != page.Meta.Count || len(rows) == 0 {
					t.Fatalf("%s: %d rows, and count %d", tool, len(rows), page.Meta.Count)
				}
				got = append(got, rows...)
				if !*page.Meta.HasMore {
					break
				}
				arguments = fmt.Sprintf(`{"limit":200,"starting_after":%q}`, *page.Meta.NextCursor)
			}
			if pages < 3 || !reflect.DeepEqual(values(t, got), values(t, want)) {
				t.Errorf("%s of %s: %d pages have %d rows, which are not REST's %d", tool, client, pages, len(got), len(want))
			}
		}
	}
}

func values(t *testing.T, rows []json.RawMessage) []any {
	t.Helper()
	made := make([]any, len(rows))
	for i, row := range rows {
		made[i] = decode(t, row)
	}
	return made
}

// One row is given whole, however long it is, and the page after it goes on.
func TestBudget_OneRowIsWhole(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	long := strings.Repeat("a long story & <more> ", 10_000)
	for range 2 {
		seed.Interview(t, "acme", apitest.Fields{"best_quote": long})
		seed.Campaign(t, "acme", apitest.Fields{"campaign_brief": long})
		seed.SynthesisDocument(t, "acme", apitest.Fields{"document": json.RawMessage(fmt.Sprintf(`{"text": %q}`, long))})
	}
	for _, tool := range []string{"list_interviews", "list_campaigns", "get_synthesis_document"} {
		a := agent{srv, srv.KeyFor(t, "acme"), "2026-07-28"}
		check.Equal(t, equal(t, a, tool, `{}`, routes[tool]+"?limit=1"), 1, "a long row of", tool)
	}
}

// A basis of more ids than the budget has is left out and named, unless it is asked
// for: then it is REST's.
func TestBudget_LongBasesAreLeftOut(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seedLarge(t, seed, "globex")
	for tool, arguments := range map[string]string{
		"list_interviews": `"limit":1`, "search_customer_intelligence": `"q":"late","limit":110`,
		"get_interview_analytics": `"date_from":"2026-02-25","date_to":"2026-03-02"`,
	} {
		a := agent{srv, srv.KeyFor(t, "globex"), "2025-06-18"}
		if tool == "search_customer_intelligence" { // it has no pages, and hits of a thousand bytes
			a.call(t, tool, "{"+arguments+"}")
		} else if got := a.within(t, tool, "{"+arguments+"}").Meta; got.Basis != nil || !reflect.DeepEqual(got.OmittedFields, []string{"measurement_basis"}) {
			t.Errorf("%s: basis %.80s, omitted %v", tool, got.Basis, got.OmittedFields)
		}
		query := strings.NewReplacer(`"`, "", ":", "=", ",", "&").Replace(arguments)
		asked := `{"include_basis":true,` + arguments + "}"
		if tool == "get_interview_analytics" {
			asked = `{"include_rows":true,` + asked[1:]
		}
		check.Equal(t, equal(t, a, tool, asked, routes[tool]+"?"+query), 1, "include_basis of", tool)
	}
	search := agent{srv, srv.KeyFor(t, "globex"), "2025-06-18"}.call(t, "search_customer_intelligence", `{"q":"late","limit":101}`)
	check.Contains(t, search.Content[0].Text, `"measurement_omitted_fields":["measurement_basis"]`, "a search of 101 hits")
	search = agent{srv, srv.KeyFor(t, "globex"), "2025-06-18"}.call(t, "search_customer_intelligence", `{"q":"late","limit":100}`)
	check.Contains(t, search.Content[0].Text, `"measurement_omitted_fields":[]`, "a search of 100 hits")
}

// Rows of analytics beyond the budget are left out; their counts stay.
func TestBudget_ManyRowsAreLeftOut(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, client := range []string{"acme", "globex"} {
		for i := range 101 {
			day := "2026-03-01"
			if i == 0 {
				day = "2026-03-05"
			}
			seed.Interview(t, client, apitest.Fields{"created_at": apitest.At(day)})
		}
		a := agent{srv, srv.KeyFor(t, client), "2026-07-28"}
		const window = `"date_from":"2026-02-25","date_to":"2026-03-0`
		path := routes["get_interview_analytics"] + "?date_from=2026-02-25&date_to=2026-03-0"
		// A hundred rows are given.
		equal(t, a, "get_interview_analytics", "{"+window+`2"}`, path+"2")
		equal(t, a, "get_interview_analytics", "{"+window+`6","include_rows":true,"include_basis":true}`, path+"6")

		var want, got map[string]json.RawMessage
		var whole answer
		srv.Get(t, path+"6", a.key).Decode(t, &whole)
		for into, data := range map[*map[string]json.RawMessage]json.RawMessage{
			&want: whole.Data, &got: a.within(t, "get_interview_analytics", "{"+window+`6"}`).Data,
		} {
			require.NoError(t, json.Unmarshal(data, into))
		}
		delete(want, "rows")
		check.DeepEqual(t, got, want, client)
	}
}

// The list of tools is read before anything is asked.
func TestBudget_ListOfTools(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, revision := range revisions {
		listed := agent{srv, srv.KeyFor(t, "acme"), revision}.send(t, "tools/list", "", "")
		if got := len(listed.Body); got > 16<<10 {
			t.Errorf("%s: the list of tools has %d bytes, want %d at most", revision, got, 16<<10)
		}
	}
}
