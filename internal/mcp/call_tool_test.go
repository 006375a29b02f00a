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
	// Under enforce, a response is written at once, up to the largest that is validated.
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Sample })
	seed.Exec(t, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, duration_seconds, nps_score)
		SELECT $1, gen_random_uuid(), '2026-01-01'::timestamptz + n * interval '1 minute', 'completed', 'passed', true, true, 90, n % 11
		FROM generate_series(1, 30000) AS n`, seed.Clients["acme"])
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
	if text := counted.Content[0].Text; !strings.Contains(text, `"total":30000`) || len(text) > maxAnswer {
		t.Errorf("without rows: %.300s", text)
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
