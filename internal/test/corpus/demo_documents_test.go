package corpus_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// A document's counts are the interviews' counts: whoever asks the interview
// routes for the document's window must find the same numbers.
func TestDemo_HomeDocumentsReconcile(t *testing.T) {
	t.Parallel()
	records := parse(t, demo(t, afternoon()))
	campaigns := campaignsByID(records)
	checked := 0
	for _, d := range ofKind(records, "synthesis_document") {
		if d.text("synthesis_type") != "home" {
			continue
		}
		checked++
		var doc struct {
			Window struct {
				From string `json:"date_from"`
				To   string `json:"date_to"`
			} `json:"window"`
			Interviews struct {
				Total    int `json:"total"`
				InWindow int `json:"in_window"`
			} `json:"interviews"`
			Recommendation struct{ Promoters, Passives, Detractors, Unknown int } `json:"recommendation"`
			Themes         []struct {
				Key      string `json:"key"`
				Evidence struct{ Mentions, Of int }
			} `json:"themes"`
		}
		text, _ := json.Marshal(d["document"])
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		asOf := d.time(t, "last_refreshed")
		total, inWindow, promoters := 0, 0, 0
		mentions := map[string]int{}
		for _, r := range ofKind(records, "interview") {
			at := r.time(t, "created_at")
			if r.text("client_id") != d.text("client_id") || at.After(asOf) || len(brokenRules(r, campaignOf(campaigns, r))) > 0 {
				continue
			}
			total++
			if day := at.Format("2006-01-02"); day < doc.Window.From || day > doc.Window.To {
				continue
			}
			inWindow++
			if nps, ok := r["nps_score"].(float64); ok && nps >= 9 {
				promoters++
			}
			extraction, _ := r["custom_extraction"].(map[string]any)
			themes, _ := extraction["themes"].([]any)
			for _, key := range themes {
				mentions[key.(string)]++
			}
		}
		got := [3]int{doc.Interviews.Total, doc.Interviews.InWindow, doc.Recommendation.Promoters}
		if want := [3]int{total, inWindow, promoters}; got != want {
			t.Errorf("%s home of %s: total, window, promoters %v, want %v", d.text("status"), asOf, got, want)
		}
		for _, th := range doc.Themes {
			// An interview in a hundred has no extraction to count.
			if n := mentions[th.Key]; n > th.Evidence.Mentions || n < th.Evidence.Mentions*9/10 || th.Evidence.Of != inWindow {
				t.Errorf("theme %s: %d mentions of %d, interviews say %d of %d", th.Key, th.Evidence.Mentions, th.Evidence.Of, n, inWindow)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d home documents", checked)
	}
}

// Rows are readable without the identity scope; the portal's feed is not.
func TestDemo_RowsNameNobody(t *testing.T) {
	t.Parallel()
	records := parse(t, demo(t, afternoon()))
	var names []string
	for _, r := range ofKind(records, "interview") {
		if name := r.text("participant_name"); name != "" && !r.is("is_test") {
			names = append(names, name)
		}
	}
	named := 0
	for _, r := range records {
		switch r.text("kind") {
		case "synthesis_document":
			text, _ := json.Marshal(r["document"])
			mustNotName(t, r, string(text), names)
		case "portal_document":
			text, _ := json.Marshal(r["body"])
			if r.text("type") != "daily_feed" {
				mustNotName(t, r, string(text), names)
			} else if strings.Contains(string(text), "@") {
				named++
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d feeds name a customer", named)
	}
}

func mustNotName(t *testing.T, r record, text string, names []string) {
	t.Helper()
	if strings.Contains(text, "@") || strings.Contains(text, "participant") {
		t.Errorf("%s %s holds an address", r.text("kind"), r.text("id"))
	}
	for _, name := range names {
		if strings.Contains(text, name) {
			t.Errorf("%s %s names %s", r.text("kind"), r.text("id"), name)
		}
	}
}

// Every quote in a document leads to a usable interview in which it was said.
func TestDemo_QuotesLeadToTheirInterviews(t *testing.T) {
	t.Parallel()
	records := parse(t, demo(t, afternoon()))
	campaigns, said := campaignsByID(records), map[string]string{}
	for _, r := range ofKind(records, "interview") {
		if len(brokenRules(r, campaignOf(campaigns, r))) == 0 {
			said[r.text("client_id")+r.text("id")] = r.text("best_quote")
		}
	}
	found := 0
	var visit func(client string, v any)
	visit = func(client string, v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				visit(client, e)
			}
		case map[string]any:
			if id, ok := v["interview_id"].(string); ok {
				found++
				quote, _ := v["text"].(string)
				if quote == "" {
					quote, _ = v["quote"].(string)
				}
				if said[client+id] != quote {
					t.Errorf("%s said %q, a document quotes %q", id, said[client+id], quote)
				}
			}
			for _, e := range v {
				visit(client, e)
			}
		}
	}
	for _, r := range records {
		visit(r.text("client_id"), r["document"])
		visit(r.text("client_id"), r["body"])
	}
	if found < 500 {
		t.Errorf("only %d quotes", found)
	}
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// What a reader finds when it proves the saved bases: each verdict has its
// document, and a legacy brand has no bases at all.
func TestDemo_SavedBasesGiveEachVerdict(t *testing.T) {
	t.Parallel()
	records := parse(t, demo(t, afternoon()))
	campaigns, snapshots, slugs := campaignsByID(records), map[string]record{}, map[string]string{}
	usable := map[string]record{}
	for _, r := range records {
		switch r.text("kind") {
		case "measurement_snapshot":
			snapshots[r.text("snapshot_id")] = r
		case "lane", "campaign":
			slugs[r.text("id")] = r.text("slug")
		case "interview":
			if len(brokenRules(r, campaignOf(campaigns, r))) == 0 {
				usable[r.text("id")] = r
			}
		}
	}
	verdicts, bases, canonical := map[string]int{}, 0, demodata.Brands()[1].ID.String()
	for _, d := range ofKind(records, "portal_document") {
		if d.text("status") != "published" {
			continue
		}
		client := d.text("client_id")
		s, saved := snapshots[d.text("measurement_snapshot_id")]
		if !saved {
			if client == canonical {
				verdicts[d.text("type")+" without basis"]++
			}
			continue
		}
		if client != canonical {
			t.Errorf("the legacy brand saved a basis for %s", d.text("type"))
		}
		bases++
		var ids []string
		for _, id := range s["source_interview_ids"].([]any) {
			ids = append(ids, id.(string))
			if r, ok := usable[id.(string)]; !ok || r.time(t, "created_at").After(s.time(t, "as_of")) {
				t.Errorf("the basis of %s holds %s, which was not usable then", d.text("type"), id)
			}
		}
		if !slices.IsSorted(ids) {
			t.Errorf("the ids of the basis of %s do not ascend", d.text("type"))
		}
		filters := map[string]string{"surface": "portal", "type": d.text("type")}
		switch d.text("type") {
		case "lane":
			filters["lane"] = slugs[d.text("lane_id")]
		case "campaign":
			filters["campaign"] = slugs[d.text("conversation_goal_id")]
		case "daily_feed":
			filters["day"] = d.text("feed_date")
		}
		// For these values encoding/json with sorted keys is the canonical form.
		scope, err := json.Marshal(map[string]any{"client_id": client, "filters": filters, "route": "/synthesis"})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case hexSum(strings.Join(ids, "\n")) != s.text("membership_hash") || int(s["source_count"].(float64)) != len(ids):
			verdicts["unverifiable"]++
		case s.text("measurement_contract_version") != corpus.ContractVersion:
			verdicts["contract_changed"]++
		case hexSum(string(scope)) != s.text("scope_hash"):
			verdicts["scope_changed"]++
		default:
			verdicts["comparable "+d.text("type")]++
		}
	}
	for verdict, want := range map[string]int{
		"unverifiable": 1, "contract_changed": 1, "scope_changed": 1, "campaign without basis": 1,
		"comparable home": 1, "comparable daily_feed": 14, "comparable lane": 3, "comparable campaign": 1,
	} {
		if verdicts[verdict] != want {
			t.Errorf("%d documents are %s, want %d", verdicts[verdict], verdict, want)
		}
	}
	if bases != len(snapshots) {
		t.Errorf("%d bases, %d of them behind a published document", len(snapshots), bases)
	}
}
