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
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/conformance"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/verify"
)

const api = "/api/client/v1"

// breaking is a proxy that changes answers on their way.
func breaking(t *testing.T, to string, spoil func(*http.Response)) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
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

// A run names each promise that is broken.
func TestRun_EachBrokenPromiseIsNamed(t *testing.T) {
	t.Parallel()
	// The server's own checks are slow, and not what is tested here.
	srv := demo(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	row := func(body map[string]any, i int) map[string]any { return data(body)[i].(map[string]any) }
	for want, spoil := range map[string]func(*http.Response){
		"contract/listInterviews": rewrite("/interviews", func(_ url.Values, b map[string]any) {
			delete(row(b, 0), "status")
		}),
		"contract/listCampaigns": rewrite("/campaigns", func(_ url.Values, b map[string]any) {
			row(b, 0)["secret_plan"] = "x"
		}),
		"scopes/interviews key 1": rewrite("/interviews", func(_ url.Values, b map[string]any) {
			delete(row(b, 0), "nps_score")
		}),
		"scopes/interviews key 2": rewrite("/interviews", func(_ url.Values, b map[string]any) {
			row(b, 0)["transcript"] = []any{}
		}),
		"scopes/search key 1": rewrite("/intelligence/search", func(_ url.Values, b map[string]any) {
			row(b, 0)["matched_fields"] = []any{"competitor_mentions"}
		}),
		"measurement/listInterviews": rewrite("/interviews", func(_ url.Values, b map[string]any) {
			if basis, ok := meta(b)["measurement_basis"].(map[string]any); ok {
				basis["membership_hash"] = strings.Repeat("0", 64)
			}
		}),
		"measurement/listCampaigns": rewrite("/campaigns", func(_ url.Values, b map[string]any) {
			d := data(b)
			d[0], d[len(d)-1] = d[len(d)-1], d[0]
		}),
		"measurement/getInterviewAnalytics": rewrite("/analytics/interviews", func(_ url.Values, b map[string]any) {
			b["data"].(map[string]any)["total"] = 3
		}),
		"walks/interviews/whole key 1": rewrite("/interviews", func(q url.Values, b map[string]any) {
			if q.Get("limit") == "200" {
				b["data"] = append(data(b), row(b, 0))
			}
		}),
		"walks/campaigns/whole key 1": rewrite("/campaigns", func(_ url.Values, b map[string]any) {
			row(b, 0)["created_at"] = strings.Replace(row(b, 0)["created_at"].(string), "Z", "+00:00", 1)
		}),
		"walks/interviews/page_size_2 key 1": rewrite("/interviews", func(q url.Values, b map[string]any) {
			if q.Get("limit") == "2" && q.Has("starting_after") { // a gap
				b["data"] = data(b)[1:]
				meta(b)["count"] = len(data(b))
			}
		}),
		"walks/campaigns/page_size_1 key 1": rewrite("/campaigns", func(q url.Values, b map[string]any) {
			if q.Get("limit") == "1" {
				meta(b)["has_more"], meta(b)["next_cursor"] = false, nil
			}
		}),
		"walks/interviews/reconciles key 1": rewrite("/analytics/interviews", func(q url.Values, b map[string]any) {
			if q.Has("date_from") {
				meta(b)["measurement_total_count"] = 1
			}
		}),
		"cursors/edited key 1": func(res *http.Response) {
			if res.StatusCode == 400 && res.Request.URL.Path == api+"/interviews" && res.Request.URL.Query().Has("starting_after") {
				say(res, 400, `{"error":"Invalid cursor","code":"invalid_parameter","details":"x"}`)
			}
		},
		"errors/garbage_key": func(res *http.Response) {
			if res.StatusCode == 401 {
				say(res, 401, `{"error":"Who are you?","code":"invalid_api_key"}`)
			}
		},
		"errors/envelope": func(res *http.Response) {
			if res.StatusCode == 404 {
				res.Header.Set("Content-Type", "text/plain")
			}
		},
		"errors/unknown_parameter key 1": func(res *http.Response) {
			if res.Request.URL.Query().Has("colour") {
				say(res, 200, `{"data":[],"meta":{}}`)
			}
		},
		"scopes/search key 2": func(res *http.Response) {
			if res.StatusCode == 403 {
				say(res, 403, `{"error":"Forbidden","code":"insufficient_scope"}`)
			}
		},
		"limits/headers":      func(res *http.Response) { res.Header.Del("X-RateLimit-Reset") },
		"limits/falls_by_one": func(res *http.Response) { res.Header.Set("X-RateLimit-Remaining", "599") },
		"answers/request_id":  func(res *http.Response) { res.Header.Set("X-Request-Id", "mine") },
		"answers/not_cached":  func(res *http.Response) { res.Header.Set("Cache-Control", "public") },
		"documents/contract": rewrite("/openapi.json", func(_ url.Values, b map[string]any) {
			delete(b["paths"].(map[string]any), api+"/campaigns")
		}),
		"agents/list_campaigns key 1": rewrite("/campaigns", func(q url.Values, b map[string]any) {
			row(b, 0)["goal"] = "another"
		}),
		"agents/tools_of_the_scopes key 2": func(res *http.Response) {
			if res.Request.URL.Path != api+"/mcp" || res.StatusCode != 200 {
				return
			}
			text, _ := io.ReadAll(res.Body)
			say(res, 200, strings.ReplaceAll(string(text), `"name":"list_campaigns"`, `"name":"search_customer_intelligence"`))
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			requests := 60
			if strings.HasPrefix(want, "walks/") || strings.HasPrefix(want, "agents/") {
				requests = 400 // they come last
			}
			report := run(t, breaking(t, srv.URL, spoil), requests,
				fresh(t, srv, demodata.BrightlarderSlug, auth.All()...), fresh(t, srv, demodata.BrightlarderSlug))
			if got := named(report, verify.Failed); !slices.Contains(got, want) {
				t.Errorf("failed: %q, want %s among them", got, want)
			}
		})
	}
}

// seedLong gives a client rows of which an MCP page holds fewer than a REST page.
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

// A tool's page may end before it is too long, and its cursor then goes on.
func TestRun_ToolsMayEndPagesEarly(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	for _, client := range []string{"acme", "globex"} {
		seedLong(t, seed, client)
		report := run(t, srv.URL, 400, fresh(t, srv, client, auth.All()...))
		for _, c := range report.Checks {
			if c.Outcome == verify.Failed {
				t.Errorf("%s: %s: %s", client, c.Name, c.Detail)
			}
		}
	}
}

// rewriteTool changes both forms of a tool's result, where it has so many rows.
func rewriteTool(rows int, change func(body map[string]any)) func(*http.Response) {
	return rewrite("/mcp", func(_ url.Values, message map[string]any) {
		result, _ := message["result"].(map[string]any)
		body, _ := result["structuredContent"].(map[string]any)
		if d, _ := body["data"].([]any); len(d) == rows {
			change(body)
			text, _ := json.Marshal(body)
			result["content"].([]any)[0].(map[string]any)["text"] = string(text)
		}
	})
}

// An early end is no excuse for anything else.
func TestRun_OnlyLongPagesEndEarlyAndGoOn(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	seedLong(t, seed, "globex")
	for range 3 {
		seed.Interview(t, "acme", nil)
	}
	shortCursor := srv.Get(t, api+"/interviews?limit=1", srv.KeyFor(t, "acme", auth.All()...)).List(t).NextCursor(t)
	keep := func(body map[string]any, n int) { body["data"], meta(body)["count"] = data(body)[:n], n }
	for name, c := range map[string]struct {
		client string
		want   string
		spoil  func(*http.Response)
	}{
		"rows are dropped": {"globex", "at /meta/has_more", rewriteTool(2, func(b map[string]any) {
			meta(b)["has_more"] = false
		})},
		"rows are dropped without a cursor": {"globex", "at /data", rewriteTool(2, func(b map[string]any) {
			meta(b)["has_more"], meta(b)["next_cursor"] = false, nil
		})},
		"the cursor skips a row": {"globex", "does not go on with the next row", rewriteTool(2, func(b map[string]any) {
			if meta(b)["measurement_basis"] != nil { // on first pages alone
				keep(b, 1)
			}
		})},
		"no row": {"globex", "at /data", rewriteTool(2, func(b map[string]any) {
			keep(b, 0)
		})},
		"other rows": {"globex", "at /data", rewriteTool(2, func(b map[string]any) {
			d := data(b)
			d[0], d[1] = d[1], d[0]
		})},
		"the count": {"globex", "at /meta/count", rewriteTool(2, func(b map[string]any) {
			meta(b)["count"] = 3
		})},
		"other fields": {"globex", "at /meta/measurement_total_count", rewriteTool(2, func(b map[string]any) {
			meta(b)["measurement_total_count"] = 3
		})},
		"the next page": {"globex", "at /meta/next_cursor", rewriteTool(1, func(b map[string]any) {
			meta(b)["next_cursor"] = nil
		})},
		"short rows": {"acme", "at /data", rewriteTool(3, func(b map[string]any) {
			keep(b, 1)
			meta(b)["has_more"], meta(b)["next_cursor"] = true, shortCursor
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := run(t, breaking(t, srv.URL, c.spoil), 400, fresh(t, srv, c.client, auth.All()...))
			i := slices.IndexFunc(report.Checks, func(one conformance.Check) bool { return one.Name == "agents/list_interviews" })
			if got := report.Checks[i]; got.Outcome != verify.Failed || !strings.Contains(got.Detail, c.want) {
				t.Errorf("%s: %s, want one with %q", got.Outcome, got.Detail, c.want)
			}
		})
	}
}

// Where both forms of a result differ from REST, the same one is always told.
func TestRun_TheSameMessageIsReported(t *testing.T) {
	t.Parallel()
	srv := demo(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	for range 3 {
		report := run(t, breaking(t, srv.URL, rewriteTool(3, func(b map[string]any) {
			meta(b)["x"] = 1
		})), 400, fresh(t, srv, demodata.BrightlarderSlug, auth.All()...))
		differ := 0
		for _, c := range report.Checks {
			if strings.HasPrefix(c.Name, "agents/") && c.Outcome == verify.Failed {
				if differ++; !strings.Contains(c.Detail, "the structuredContent differs") {
					t.Errorf("%s: %s", c.Name, c.Detail)
				}
			}
		}
		if differ < 3 {
			t.Errorf("%d tools differ", differ)
		}
	}
}

// A body is a customer's text, whatever its fields are called: no message quotes it.
func TestRun_MessagesQuoteNoBody(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	for n := range 5 {
		seed.PortalDocument(t, "acme", apitest.Fields{
			"type": "daily_feed", "body": json.RawMessage(fmt.Sprintf(`{"schema": "x", "id": "He shouted at me, %d"}`, n)),
		})
	}
	broken := breaking(t, srv.URL, rewrite("/synthesis", func(q url.Values, b map[string]any) {
		d := data(b)
		switch q.Get("limit") {
		case "1": // another row
			d[0].(map[string]any)["schema"] = "y"
		case "2": // a row twice
			d[len(d)-1] = d[0]
		case "7": // a row more
			b["data"] = append(d, d[0])
			meta(b)["count"] = len(d) + 1
		}
	}))
	report := run(t, broken, 400, fresh(t, srv, "acme", auth.All()...))
	for _, size := range []string{"1", "2", "7"} {
		if name := "walks/portal_daily_feed/page_size_" + size + " key 1"; !slices.Contains(named(report, verify.Failed), name) {
			t.Errorf("%s does not fail", name)
		}
	}
	for _, c := range report.Checks {
		if strings.Contains(c.Detail, "shouted") {
			t.Errorf("%s quotes a body: %s", c.Name, c.Detail)
		}
	}
}
