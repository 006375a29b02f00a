//go:build partners

package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

// mostTokens is what an answer may cost: hosts cut at 25,000, and a page has about
// 12,000 in English; ids and other scripts have more to a byte.
const mostTokens = 20_000

// typical are calls as agents make them.
var typical = []struct{ tool, arguments string }{
	{"tools/list", ""},
	{"get_synthesis_document", `{}`},
	{"get_synthesis_document", `{"type":"campaign","limit":1}`},
	{"get_synthesis_document", `{"surface":"portal"}`},
	{"list_campaigns", `{}`},
	{"list_campaigns", `{"status":"live"}`},
	{"get_interview_analytics", `{}`},
	{"get_interview_analytics", `{"date_from":"2025-12-01","date_to":"2026-11-30"}`},
	{"list_interviews", `{"limit":1}`},
	{"list_interviews", `{"limit":10}`},
	{"list_interviews", `{}`},
	{"list_interviews", `{"limit":200}`},
	{"search_customer_intelligence", `{"q":"courier","limit":10}`},
	{"search_customer_intelligence", `{"q":"courier"}`},
}

// analystQuestions are what an analyst asks, and the calls that a sensible agent
// makes with these tools. «cancellation» stands for that campaign's id.
var analystQuestions = []struct {
	question string
	calls    []struct{ tool, arguments string }
}{
	{"Why do people leave?", inOrder("get_synthesis_document", `{"surface":"portal","type":"campaign","campaign":"cancellation"}`)},
	{"What is the house view this week?", inOrder("get_synthesis_document", `{"surface":"portal"}`)},
	{"How many promoters had we in October?", inOrder("get_interview_analytics", `{"date_from":"2026-10-01","date_to":"2026-10-31"}`)},
	{"How did NPS move from the third quarter to the fourth?", inOrder(
		"get_interview_analytics", `{"date_from":"2026-07-01","date_to":"2026-09-30"}`,
		"get_interview_analytics", `{"date_from":"2026-10-01","date_to":"2026-12-31"}`)},
	{"Which campaigns are running, and what do they ask?", inOrder("list_campaigns", `{"status":"live"}`)},
	{"What did detractors who left say about delivery?", inOrder(
		"list_campaigns", `{"status":"live"}`, "search_customer_intelligence", `{"q":"deliver","campaign":"cancellation","limit":10}`,
		"list_interviews", `{"campaign_id":"«cancellation»","limit":10}`)},
	{"Five quotes from the newest interviews", inOrder("list_interviews", `{"limit":5}`)},
	{"Who mentions the courier?", inOrder("search_customer_intelligence", `{"q":"courier","limit":10}`)},
	{"What changed in the synthesis since last month?", inOrder("get_synthesis_document", `{"updated_since":"2026-11-01","limit":5}`)},
	{"How large is the sample behind the weekly box campaign?", inOrder("get_interview_analytics", `{"campaign":"weekly-box"}`)},
	{"Is churn risk rising among people who left in October?", inOrder(
		"list_campaigns", `{"status":"live"}`,
		"list_interviews", `{"campaign_id":"«cancellation»","date_from":"2026-10-01","date_to":"2026-10-31","limit":25}`)},
	{"What does the menu lane say, and does the data agree?", inOrder(
		"get_synthesis_document", `{"surface":"portal","type":"lane","lane":"menu"}`,
		"search_customer_intelligence", `{"q":"menu","limit":10}`, "get_interview_analytics", `{}`)},
}

func inOrder(pairs ...string) (all []struct{ tool, arguments string }) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, struct{ tool, arguments string }{pairs[i], pairs[i+1]})
	}
	return all
}

// What typical calls cost for clients of three sizes, and what twelve questions cost.
// It prints the tables of docs/mcp.md.
func TestTokens(t *testing.T) {
	srv, seed := partnerserver.Start(t, 1000, time.Hour)
	brand := seed.Clients["brightlarder"]
	var cancellation string
	seed.Query(t, &cancellation, "SELECT id::text FROM campaigns WHERE client_id = $1 AND slug = 'cancellation'", brand)
	key := srv.Issue(t, apikey.Request{Client: "brightlarder", Name: t.Name(),
		Scopes: append(auth.Default(), auth.ReadCustomExtraction)}).Key

	costs := make([][]int, len(typical))
	for _, size := range []int{100, 10_000, 1_000_000} {
		resize(t, seed, size)
		var texts []string
		for _, call := range typical {
			texts = append(texts, textOf(t, srv, key, call.tool, call.arguments))
		}
		for i, n := range tokens(t, texts) {
			costs[i] = append(costs[i], n)
		}
		if size == 10_000 {
			evaluate(t, srv, key, cancellation)
		}
	}
	fmt.Println("\n| Call | 100 | 10,000 | 1,000,000 |\n| --- | ---: | ---: | ---: |")
	for i, call := range typical {
		fmt.Printf("| `%s` | %s |\n", strings.TrimSpace(call.tool+" "+call.arguments),
			strings.Trim(strings.Join(strings.Fields(fmt.Sprint(costs[i])), " | "), "[]"))
		for _, n := range costs[i] {
			if n > mostTokens {
				t.Errorf("%s %s costs %d tokens", call.tool, call.arguments, n)
			}
		}
	}
}

// resize makes the brand's usable interviews about so many: the demo's, and copies
// of the past. Only the newest have texts, since no call reads the others.
func resize(t *testing.T, seed *apitest.Seed, size int) {
	t.Helper()
	brand := seed.Clients["brightlarder"]
	if size < 260 {
		seed.Exec(t, `UPDATE interviews SET quality = 'pending' WHERE client_id = $1 AND usable AND id NOT IN
			(SELECT id FROM interviews WHERE client_id = $1 AND usable ORDER BY created_at DESC LIMIT $2)`, brand, size)
		return
	}
	seed.Exec(t, `INSERT INTO interviews (client_id, id, campaign_id, created_at, status, quality, reportable, client_safe,
			duration_seconds, nps_score, customer_sentiment, churn_risk, interview_type, best_quote, custom_extraction)
		SELECT client_id, gen_random_uuid(), campaign_id, created_at - n * interval '1 minute', status, 'passed', true, true,
			duration_seconds, nps_score, customer_sentiment, churn_risk, interview_type,
			CASE WHEN n < 300 THEN best_quote END, CASE WHEN n < 300 THEN custom_extraction END
		FROM (SELECT * FROM interviews WHERE client_id = $1 AND usable ORDER BY created_at DESC LIMIT 100) AS i,
			generate_series(1, $2::int) AS n
		LIMIT $2::int * 100 - (SELECT count(*) FROM interviews WHERE client_id = $1 AND usable)`, brand, size/100)
}

func evaluate(t *testing.T, srv *apitest.Server, key, cancellation string) {
	t.Helper()
	fmt.Println("\n| Question | Calls | Tokens |\n| --- | ---: | ---: |")
	for _, q := range analystQuestions {
		var texts []string
		for _, call := range q.calls {
			texts = append(texts, textOf(t, srv, key, call.tool, strings.ReplaceAll(call.arguments, "«cancellation»", cancellation)))
		}
		sum := 0
		for _, n := range tokens(t, texts) {
			sum += n
		}
		fmt.Printf("| %s | %d | %d |\n", q.question, len(texts), sum)
	}
}

// textOf is what a call gives an agent to read.
func textOf(t *testing.T, srv *apitest.Server, key, tool, arguments string) string {
	t.Helper()
	method, params := "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)
	if tool == "tools/list" {
		method, params = tool, "{}"
	}
	answer := srv.Post(t, endpoint, key, http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"},
	}, io.Reader(strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))))
	var said struct {
		Result json.RawMessage
	}
	decode(t, string(answer.Body), &said)
	if tool == "tools/list" {
		return string(said.Result)
	}
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	decode(t, string(said.Result), &result)
	if result.IsError || len(result.Content) != 1 {
		t.Fatalf("%s %s: %s", tool, arguments, answer.Body)
	}
	return result.Content[0].Text
}

func tokens(t *testing.T, texts []string) []int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "texts.json")
	body, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, exit := run(t, "tokens.mjs", file)
	if exit != 0 {
		t.Fatalf("exit %d:\n%s", exit, stderr)
	}
	var counts []int
	decode(t, stdout, &counts)
	return counts
}
