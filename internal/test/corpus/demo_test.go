package corpus_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

func afternoon() time.Time { return time.Date(2026, 11, 20, 14, 30, 12, 345678901, time.UTC) }

func demo(t *testing.T, now time.Time) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := demodata.Demo(&b, now); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDemo_IsDeterministic(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 3600)
	if !bytes.Equal(demo(t, afternoon()), demo(t, afternoon().In(zone))) {
		t.Error("the same instant gave two corpora")
	}
}

// Importing the demo on another day must replace its rows, not add to them.
func TestDemo_IDsDoNotDependOnTheClock(t *testing.T) {
	t.Parallel()
	ids := func(now time.Time) map[string]bool {
		ids := map[string]bool{}
		for _, r := range parse(t, demo(t, now)) {
			if r.text("kind") != "synthesis_document" { // a feed row needs a day with interviews
				ids[r.text("kind")+r.text("id")+r.text("snapshot_id")] = true
			}
		}
		return ids
	}
	first, second := ids(afternoon()), ids(afternoon().AddDate(0, 0, 3))
	for id := range first {
		if !second[id] {
			t.Errorf("%s is gone three days later", id)
		}
	}
}

func TestDemo_HoldsAtAnyTimeOfDayAndYear(t *testing.T) {
	t.Parallel()
	for _, now := range []time.Time{
		time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2027, 3, 1, 4, 5, 6, 7000, time.UTC),
		time.Date(2028, 2, 29, 23, 59, 59, 999999999, time.UTC),
		time.Date(2026, 7, 13, 6, 30, 0, 0, time.FixedZone("", -7*3600)),
	} {
		records := parse(t, demo(t, now))
		for _, r := range records {
			for _, field := range []string{"created_at", "updated_at", "last_refreshed", "launched_at", "published_at", "as_of"} {
				if r.text(field) != "" && r.time(t, field).After(now) {
					t.Errorf("at %s, %s %s: %s lies in the future: %s", now, r.text("kind"), r.text("id"), field, r.text(field))
				}
			}
		}
		days := map[string]int{}
		for _, r := range ofKind(records, "portal_document") {
			if r.text("type") == "daily_feed" {
				days[r.text("client_id")]++
			}
		}
		for _, b := range demodata.Brands() {
			if got := days[b.ID.String()]; got != 14 {
				t.Errorf("at %s, %s has %d days in its feed, want 14", now, b.Slug, got)
			}
		}
	}
}

// Every condition of the usable rule has interviews that break it alone, so that a visitor
// who loosens one rule sees exactly its interviews come in.
func TestDemo_EachConditionExcludesInterviews(t *testing.T) {
	t.Parallel()
	records := parse(t, demo(t, afternoon()))
	campaigns := campaignsByID(records)
	for _, b := range demodata.Brands() {
		alone, usable, shared := map[string]int{}, 0, 0
		for _, r := range ofKind(records, "interview") {
			if r.text("client_id") != b.ID.String() {
				continue
			}
			broken := brokenRules(r, campaignOf(campaigns, r))
			switch {
			case len(broken) == 0 && r["conversation_goal_id"] == nil:
				shared++
				usable++
			case len(broken) == 0:
				usable++
			case len(broken) == 1:
				alone[broken[0]]++
			}
		}
		want := []string{
			"is_test", "short", "disengaged", "quality failed", "quality pending", "not reportable", "not client_safe",
			"status in_progress", "status scheduled", "status abandoned",
		}
		if b.Mode == corpus.ModeCanonical {
			want = append(want, "campaign not active")
		} else {
			want = append(want, "campaign paused")
		}
		for _, rule := range want {
			if alone[rule] == 0 {
				t.Errorf("%s: nobody is kept out by %q alone; got %v", b.Slug, rule, alone)
			}
		}
		if shared < 5 || usable < 150 {
			t.Errorf("%s: %d usable interviews, %d of them without a campaign", b.Slug, usable, shared)
		}
	}
}

func TestDemo_BrandsAreComplete(t *testing.T) {
	t.Parallel()
	records := parse(t, demo(t, afternoon()))
	brands := demodata.Brands()
	for i, c := range ofKind(records, "client") {
		b := brands[i]
		got := [3]string{c.text("id"), c.text("slug"), c.text("measurement_mode")}
		if want := [3]string{b.ID.String(), b.Slug, b.Mode}; got != want {
			t.Errorf("got client %v, want %v", got, want)
		}
	}
	for _, b := range brands {
		mine := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.text("client_id") != b.ID.String() })
		seen := map[string]bool{}
		for _, r := range mine {
			switch kind := r.text("kind"); kind {
			case "campaign":
				seen["campaign "+r.text("slug")] = true
				seen["campaign is "+r.text("launch_status")] = true
				seen["campaign without created_at"] = seen["campaign without created_at"] || r["created_at"] == nil
				seen["campaign with active null"] = seen["campaign with active null"] || r["active"] == nil
				questions, _ := r["key_questions"].([]any)
				for _, q := range questions {
					_, legacy := q.(string)
					seen["legacy questions"] = seen["legacy questions"] || legacy
					seen["canonical questions"] = seen["canonical questions"] || !legacy
				}
				seen["questions null"] = seen["questions null"] || r["key_questions"] == nil
			case "lane":
				seen["lane "+r.text("slug")] = true
				seen["invisible lane"] = seen["invisible lane"] || !r.is("visible")
			case "synthesis_document":
				seen["row "+r.text("synthesis_type")+" "+r.text("status")] = true
			case "portal_document":
				seen["body "+r.text("type")+" "+r.text("status")] = true
				body := r["body"].(map[string]any)
				if want := "portal_" + r.text("type") + ".v1"; body["schema"] != want || body["measurement_integrity"] != nil {
					t.Errorf("a body of %s has the schema %v, want %s", r.text("type"), body["schema"], want)
				}
			}
		}
		for _, want := range []string{
			"campaign onboarding", "lane retention", "invisible lane", "campaign without created_at", "campaign with active null",
			"legacy questions", "canonical questions", "questions null",
			"campaign is live", "campaign is draft", "campaign is ended",
			"row home published", "row home archived", "row home draft", "row lane published", "row lane archived",
			"row campaign published", "row campaign draft", "row daily_feed published", "row daily_feed archived",
			"row playbook published", "row creative_concept published",
			"body home published", "body home archived", "body lane published", "body campaign published",
			"body daily_feed published", "body playbook published", "body creative_concept published",
			"body creative_concept draft",
		} {
			if !seen[want] {
				t.Errorf("%s: no %s", b.Slug, want)
			}
		}
	}
}

var mailAddress = regexp.MustCompile(`[\w.+'-]+@([\w.-]+\w)`)

// Nobody who imports the demo may ever write to a real person.
func TestDemo_MailGoesToReservedDomainsOnly(t *testing.T) {
	t.Parallel()
	found := mailAddress.FindAllSubmatch(demo(t, afternoon()), -1)
	if len(found) < 500 {
		t.Fatalf("only %d addresses", len(found))
	}
	for _, m := range found {
		if !reserved(string(m[1])) {
			t.Errorf("%s is not in a reserved domain", m[0])
		}
	}
}

func reserved(domain string) bool {
	for _, suffix := range []string{".example.com", ".example.org", ".example.net", ".test", ".example"} {
		if strings.HasSuffix("."+domain, suffix) {
			return true
		}
	}
	return false
}

func TestDemo_InterviewsReadLikeInterviews(t *testing.T) {
	t.Parallel()
	corpusText := demo(t, afternoon())
	records := parse(t, corpusText)
	quotes, scripts := map[string]bool{}, map[string]bool{}
	for _, r := range ofKind(records, "interview") {
		id := r.text("id")
		turns, _ := r["transcript"].([]any)
		var said []string
		last := 0.0
		for _, turn := range turns {
			turn := turn.(map[string]any)
			text, at := turn["text"].(string), turn["at_seconds"].(float64)
			if strings.ContainsAny(text, "{}") || text == "" || at < last {
				t.Errorf("%s: a turn of %q at %v s", id, text, at)
			}
			last = at
			if turn["role"] == "customer" {
				said = append(said, text)
			}
		}
		if d, ok := r["duration_seconds"].(float64); ok && (d < last || d > 3600) {
			t.Errorf("%s lasts %v s, its last turn starts at %v s", id, d, last)
		}
		quote := r.text("best_quote")
		if r["best_quote"] == nil {
			continue
		}
		quotes[quote] = true
		if !slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, quote) }) {
			t.Errorf("%s: the customer never said %q", id, quote)
		}
		if extraction, ok := r["custom_extraction"].(map[string]any); ok {
			scripts[extraction["language"].(string)] = true
			if best := extraction["best_quote"]; best != nil && best != quote {
				t.Errorf("%s: two best quotes, %q and %q", id, best, quote)
			}
		}
	}
	if len(quotes) < 300 {
		t.Errorf("only %d different quotes", len(quotes))
	}
	if len(scripts) < 6 {
		t.Errorf("only the languages %v", scripts)
	}
	for _, letter := range []string{"É", "ß", "Ω", "Я", "👋", "🙃", " & "} {
		if !bytes.Contains(corpusText, []byte(letter)) {
			t.Errorf("no %q anywhere", letter)
		}
	}
}

// Low scores go with a negative sentiment, and the latest month is about deliveries.
func TestDemo_TellsAStory(t *testing.T) {
	t.Parallel()
	records := parse(t, demo(t, afternoon()))
	campaigns := campaignsByID(records)
	late := map[bool][2]int{} // recent or not: complaints of late deliveries, all
	for _, r := range ofKind(records, "interview") {
		if len(brokenRules(r, campaignOf(campaigns, r))) > 0 {
			continue
		}
		nps, scored := r["nps_score"].(float64)
		if felt := r.text("customer_sentiment"); scored && (nps >= 9 && felt == "negative" || nps <= 6 && felt == "positive") {
			t.Errorf("%s gives %v and is %s", r.text("id"), nps, felt)
		}
		raw, _ := json.Marshal(r["raw_extraction"])
		recent := afternoon().Sub(r.time(t, "created_at")) < 30*24*time.Hour
		count := late[recent]
		count[1]++
		if regexp.MustCompile(`"theme":"(late_delivery|delivery_window)","turn":\d+,"valence":"negative"`).Match(raw) {
			count[0]++
		}
		late[recent] = count
	}
	now, before := late[true], late[false]
	if now[0]*before[1] < 2*before[0]*now[1] {
		t.Errorf("late deliveries: %d of %d lately, %d of %d before; want at least twice the share", now[0], now[1], before[0], before[1])
	}
}
