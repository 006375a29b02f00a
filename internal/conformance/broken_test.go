package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

const (
	api       = "/api/client/v1"
	unknownID = "6f1c2d34-8a4b-4c7e-9f10-2b7d5e8c9a01"
)

// breaking is a proxy that changes answers on their way.
func breaking(t *testing.T, to string, spoil func(*http.Response)) string {
	t.Helper()
	target, err := url.Parse(to)
	require.NoError(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(res *http.Response) error { spoil(res); return nil },
	})
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// rewrite changes the JSON of 200 answers of a path.
func rewrite(path string, change func(q url.Values, body map[string]any)) func(*http.Response) {
	return func(res *http.Response) {
		if res.Request.URL.Path != api+path || res.StatusCode != http.StatusOK {
			return
		}
		var body map[string]any
		decoder := json.NewDecoder(res.Body)
		decoder.UseNumber()
		if decoder.Decode(&body) != nil {
			return
		}
		change(res.Request.URL.Query(), body)
		text, _ := json.Marshal(body)
		say(res, res.StatusCode, string(text))
	}
}

func say(res *http.Response, status int, text string) {
	res.StatusCode = status
	res.Body = io.NopCloser(bytes.NewReader([]byte(text)))
	res.ContentLength = int64(len(text))
	res.Header.Set("Content-Length", strconv.Itoa(len(text)))
}

func data(body map[string]any) []any          { return body["data"].([]any) }
func meta(body map[string]any) map[string]any { return body["meta"].(map[string]any) }

// A run names each promise that is broken, in a check and its detail.
func TestRun_EachBrokenPromiseIsNamed(t *testing.T) {
	t.Parallel()
	// The server's own checks are slow, and not what is tested here.
	srv := demo(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	row := func(body map[string]any, i int) map[string]any { return data(body)[i].(map[string]any) }
	onRow := func(path string, change func(map[string]any)) func(*http.Response) {
		return rewrite(path, func(_ url.Values, b map[string]any) { change(row(b, 0)) })
	}
	atLimit := func(limit, path string, change func(url.Values, map[string]any)) func(*http.Response) {
		return rewrite(path, func(q url.Values, b map[string]any) {
			if q.Get("limit") == limit {
				change(q, b)
			}
		})
	}
	for _, c := range []struct {
		check, detail string
		spoil         func(*http.Response)
	}{
		{"contract/listInterviews", "/data/0", onRow("/interviews", func(row map[string]any) { delete(row, "status") })},
		{"contract/getInterviewAnalytics", "the contract does not know", func(res *http.Response) {
			if strings.HasSuffix(res.Request.URL.Path, "/analytics/interviews") {
				say(res, 500, `{"error":"internal error","code":"internal_error"}`)
			}
		}},
		{"verify/listInterviews", "lacks the field", onRow("/interviews", func(row map[string]any) { delete(row, "nps_score") })},
		{"verify/listInterviews", "must not see", onRow("/interviews", func(row map[string]any) { row["raw_extraction"] = map[string]any{} })},
		{"verify/listInterviews", "membership_hash does not hold", rewrite("/interviews", func(_ url.Values, b map[string]any) {
			if basis, ok := meta(b)["measurement_basis"].(map[string]any); ok {
				basis["membership_hash"] = strings.Repeat("0", 64)
			}
		})},
		{"verify/listCampaigns", "order does not hold", rewrite("/campaigns", func(_ url.Values, b map[string]any) {
			d := data(b)
			d[0], d[len(d)-1] = d[len(d)-1], d[0]
		})},
		{"verify/listCampaigns", "another answer to this key", rewrite("/campaigns", func(_ url.Values, b map[string]any) {
			meta(b)["client_id"] = unknownID
			for i := range data(b) {
				row(b, i)["client_id"] = unknownID
			}
		})},
		{"scopes/interviews key 2", "Missing required scope", func(res *http.Response) {
			if res.StatusCode == 200 && strings.HasSuffix(res.Request.URL.Path, "/interviews") {
				say(res, 403, `{"error":"Forbidden","code":"insufficient_scope"}`)
			}
		}},
		{"verify/getInterview", "and another answer the contrary", rewrite("/interviews", func(_ url.Values, b map[string]any) {
			meta(b)["includes_transcripts"] = false
			for i := range data(b) {
				delete(row(b, i), "transcript")
			}
		})},
		{"cursors/edited key 1", "invalid_parameter", func(res *http.Response) {
			if res.StatusCode == 400 && res.Request.URL.Query().Has("starting_after") {
				say(res, 400, `{"error":"Invalid cursor","code":"invalid_parameter","details":"x"}`)
			}
		}},
		{"limits/headers", "Reset in", func(res *http.Response) { res.Header.Del("X-RateLimit-Reset") }},
		{"limits/falls_by_one", "from 599 to 599", func(res *http.Response) { res.Header.Set("X-RateLimit-Remaining", "599") }},
		{"documents/openapi.json", "at /paths", rewrite("/openapi.json", func(_ url.Values, b map[string]any) {
			delete(b["paths"].(map[string]any), api+"/campaigns")
		})},
		{"walks/campaigns/page_size_1 key 1", "answers 2 rows", atLimit("1", "/campaigns", func(_ url.Values, b map[string]any) {
			b["data"] = append(data(b), row(b, 0))
		})},
		{"walks/interviews/page_size_2 key 1", "is another in the list", atLimit("2", "/interviews", func(q url.Values, b map[string]any) {
			if q.Has("starting_after") { // a gap
				b["data"] = data(b)[1:]
				meta(b)["count"] = len(data(b))
			}
		})},
		{"walks/interviews/page_size_2 key 1", "order does not hold", atLimit("2", "/interviews", func(q url.Values, b map[string]any) {
			if q.Has("starting_after") { // a row of the page before
				row(b, 0)["created_at"] = "2030-01-01T00:00:00.000000Z"
			}
		})},
		{"walks/campaigns/page_size_1 key 1", "ends after 1", atLimit("1", "/campaigns", func(_ url.Values, b map[string]any) {
			meta(b)["has_more"], meta(b)["next_cursor"] = false, nil
		})},
		{"walks/interviews/reconciles key 1", "measurement_total_count of analytics of all time is 1", rewrite("/analytics/interviews", func(q url.Values, b map[string]any) {
			if q.Has("date_from") {
				meta(b)["measurement_total_count"] = 1
			}
		})},
		{"agents/list_campaigns key 1", "differs from GET", onRow("/campaigns", func(row map[string]any) { row["goal"] = "another" })},
		{"agents/list_interviews key 1", "the text differs from the structuredContent at /meta/count", rewriteTool(func(_, structured map[string]any) {
			meta(structured)["count"] = 77
		})},
		{"agents/search_customer_intelligence key 2", "answers a key that lacks", rewrite("/mcp", func(_ url.Values, b map[string]any) {
			if b["error"] != nil {
				delete(b, "error")
				b["result"] = map[string]any{"content": []any{}}
			}
		})},
		{"agents/tools_of_the_scopes key 2", "tools/list shows", func(res *http.Response) {
			if res.Request.URL.Path == api+"/mcp" && res.StatusCode == 200 {
				text, _ := io.ReadAll(res.Body)
				say(res, 200, strings.ReplaceAll(string(text), `"name":"list_campaigns"`, `"name":"search_customer_intelligence"`))
			}
		}},
	} {
		t.Run(c.check+": "+c.detail, func(t *testing.T) {
			t.Parallel()
			requests, keys := 60, []string{fresh(t, srv, demodata.BrightlarderSlug, auth.All()...)}
			if strings.HasPrefix(c.check, "walks/") || strings.HasPrefix(c.check, "agents/") {
				requests = 400 // they come last
			}
			if strings.HasSuffix(c.check, "key 2") {
				keys = append(keys, fresh(t, srv, demodata.BrightlarderSlug))
			}
			report := run(t, breaking(t, srv.URL, c.spoil), requests, keys...)
			wantFailure(t, report, c.check, c.detail)
		})
	}
}

// rewriteTool changes the structuredContent of tools' results that have data and meta,
// given with the result.
func rewriteTool(change func(result, structured map[string]any)) func(*http.Response) {
	return rewrite("/mcp", func(_ url.Values, message map[string]any) {
		result, _ := message["result"].(map[string]any)
		if structured, _ := result["structuredContent"].(map[string]any); structured["meta"] != nil {
			change(result, structured)
		}
	})
}

// seedLong gives a client rows of which an MCP page has fewer than a REST page.
func seedLong(t *testing.T, seed *apitest.Seed, client string) {
	t.Helper()
	text := func(bytes int) string { return strings.Repeat("word ", bytes/5) }
	for range 4 {
		seed.Interview(t, client, apitest.Fields{"transcript": json.RawMessage(fmt.Sprintf(`[{"text": %q}]`, text(18<<10)))})
	}
	for i, size := range []int{10, 300_000, 10} {
		seed.Campaign(t, client, apitest.Fields{"goal_context": text(size), "created_at": apitest.At("2026-01-01").AddDate(0, 0, i)})
	}
}

// A tool may end a page before it is too long. The page is otherwise REST's, and its
// cursor goes on with the next row.
func TestRun_ToolsMayEndPagesEarly(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	seedLong(t, seed, "globex")
	wantNoFailure(t, run(t, srv.URL, 400, fresh(t, srv, "globex", auth.All()...)))
}

// A body is a customer's text, whatever its fields are called: no message quotes it.
func TestRun_MessagesQuoteNoBody(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	for n := range 5 { // two are the same
		seed.PortalDocument(t, "acme", apitest.Fields{
			"type": "daily_feed", "body": json.RawMessage(fmt.Sprintf(`{"schema": "x", "id": "He shouted at me", "n": %d}`, n/2)),
		})
	}
	key := fresh(t, srv, "acme", auth.All()...)
	wantNoFailure(t, run(t, srv.URL, 200, key))
	broken := breaking(t, srv.URL, rewrite("/synthesis", func(q url.Values, b map[string]any) {
		if d := data(b); len(d) > 0 && (q.Get("limit") == "1" || q.Get("limit") == "2") {
			d[0].(map[string]any)["schema"] = "y"
		}
	}))
	report := run(t, broken, 200, key)
	for _, size := range []string{"1", "2"} {
		wantFailure(t, report, "walks/portal_daily_feed/page_size_"+size+" key 1", "row 1 of the walk")
	}
	for _, c := range report.Checks {
		check.Lacks(t, c.Detail, "shouted", "quotes a body", c.Name)
	}
}
