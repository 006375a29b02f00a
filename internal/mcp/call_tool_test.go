package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// REST streams a window of any size; a tool collects it, so it says how to ask
// for less, and what fits is whole.
func TestCall_LargeWindowsOfAnalytics(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Exec(t, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, duration_seconds, nps_score)
		SELECT $1, gen_random_uuid(), '2026-01-01'::timestamptz + n * interval '1 minute', 'completed', 'passed', true, true, 90, n % 11
		FROM generate_series(1, 90000) AS n`, seed.Clients["acme"])
	a := agent{srv, srv.KeyFor(t, "acme"), "2025-11-25"}
	refused := a.call(t, "get_interview_analytics", `{"date_from":"2026-01-01","date_to":"2026-12-31","include_rows":true}`)
	const want = `{"error":"payload too large","details":"the response would be larger than 2 MiB; set a shorter window with date_from and date_to, or one campaign","code":"payload_too_large"}`
	if !refused.IsError || refused.Content[0].Text != want || refused.StructuredContent != nil {
		t.Errorf("got %.300s, want %s", refused.Content[0].Text, want)
	}
	if equal(t, a, "get_interview_analytics", `{"date_from":"2026-01-01","date_to":"2026-01-10","include_rows":true}`,
		routes["get_interview_analytics"]+"?date_from=2026-01-01&date_to=2026-01-10") != 1 {
		t.Error("a shorter window was refused")
	}
	counted := a.call(t, "get_interview_analytics", `{"date_from":"2026-01-01","date_to":"2026-12-31"}`)
	if text := counted.Content[0].Text; !strings.Contains(text, `"total":90000`) || len(text) > maxAnswer {
		t.Errorf("without rows: %.300s", text)
	}
}

// Tests hold every answer back until it was checked; servers send it at once.
func TestCall_HoweverAnswersAreChecked(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "globex", nil)
	key := srv.KeyFor(t, "globex")
	for _, mode := range []config.ResponseValidation{config.Sample, config.Off} {
		other := *srv
		other.URL = srv.StartAnother(t, func(s *config.Server) { s.ResponseValidation = mode })
		a := agent{&other, key, "2026-07-28"}
		for tool, route := range routes {
			if equal(t, a, tool, `{"campaign":"nothing","q":"late"}`, route+"?campaign=nothing&q=late")+
				equal(t, a, tool, `{"date_from":"2026-01-01"}`, route+"?date_from=2026-01-01")+
				equal(t, a, tool, `{"q":"late"}`, route+"?q=late") == 0 {
				t.Errorf("in the mode %s, %s answers nothing", mode, tool)
			}
		}
	}
}

// There is nothing to listen to, so that no connection is held for it.
func TestCall_ListeningEndsAtOnce(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	a := agent{srv, srv.KeyFor(t, "acme"), "2026-07-28"}
	answer := a.send(t, "subscriptions/listen", "", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a"]}}`).
		WantStatus(t, http.StatusOK)
	if got := string(answer.Body); !strings.Contains(got, `"notifications":{}`) || !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("got %s, want an acknowledgement of nothing, and an end", got)
	}
	if got := answer.Header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
}

// An agent's answers are compressed as REST's are, and no cache keeps them.
func TestCall_AnswersAreCompressedAndNotKept(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	header := with("Accept-Encoding", "gzip")
	answer := srv.Post(t, endpoint, srv.KeyFor(t, "acme"), header, strings.NewReader(listTools)).WantStatus(t, http.StatusOK)
	if answer.Header.Get("Content-Encoding") != "gzip" || answer.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("headers are %v", answer.Header)
	}
}

// A result has no Retry-After, so that what is unavailable for now says in its details
// how long to wait. REST has the header.
func TestCall_UnavailableSaysHowLongToWait(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "globex", nil)
	seed.Exec(t, "UPDATE measurement_states SET broken_at = now(), broken_reason = 'test' WHERE client_id = $1", seed.Clients["globex"])
	key := srv.KeyFor(t, "globex")
	rest := srv.Get(t, routes["list_interviews"], key).WantError(t, http.StatusServiceUnavailable, "measurement_unavailable", "measurement_unavailable")
	seconds := rest.Header.Get("Retry-After")
	if seconds == "" || strings.Contains(string(rest.Body), "details") {
		t.Errorf("REST answers with Retry-After %q and %s, want seconds and no details", seconds, rest.Body)
	}
	want := `{"error":"measurement_unavailable","details":"retry after ` + seconds + ` seconds","code":"measurement_unavailable"}`
	for _, revision := range revisions {
		a := agent{srv, key, revision}
		for _, tool := range []string{"list_interviews", "get_interview_analytics"} {
			if r := a.call(t, tool, `{}`); !r.IsError || r.Content[0].Text != want {
				t.Errorf("%s %s: isError %v, got %s, want %s", revision, tool, r.IsError, r.Content[0].Text, want)
			}
		}
	}
}
