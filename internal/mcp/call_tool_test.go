package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

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

// An agent that leaves in the middle of a large result has left: the request is not
// logged as answered.
func TestCall_LeftInMidResult(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	turn, _ := json.Marshal([]map[string]string{{"text": strings.Repeat("late delivery. ", 500_000)}})
	seed.Interview(t, "acme", apitest.Fields{"transcript": string(turn)})
	for n := range 2 {
		body := message("2025-11-25", "tools/call", `{"name":"list_interviews","arguments":{}}`)
		conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s", endpoint, key, len(body), body)
		if _, err := io.ReadFull(conn, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
		ended := func() int { return strings.Count(srv.Logs.String(), `"operation":"list_interviews"`) }
		for deadline := time.Now().Add(30 * time.Second); ended() <= n && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if got := strings.Count(srv.Logs.String(), `"operation":"list_interviews","status":499`); got != n+1 {
			t.Errorf("%d of %d requests are logged as left: %s", got, n+1, srv.Logs)
		}
	}
}
