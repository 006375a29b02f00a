package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

const (
	canaryCampaign  = "22222222-2222-4222-8222-222222222222"
	canaryInterview = "33333333-3333-4333-8333-333333333333"
)

// canaryRecords are a client's records with the canary in every text.
var canaryRecords = strings.ReplaceAll(strings.NewReplacer("CLIENT", canaryClient, "CAMPAIGN", canaryCampaign, "INTERVIEW", canaryInterview).Replace(
	`{"kind":"client","id":"CLIENT","slug":"acme","name":"CANARY","measurement_mode":"canonical","measurement_contract_version":"canonical_measurement.v1"}
{"kind":"campaign","id":"CAMPAIGN","client_id":"CLIENT","slug":"CANARY","display_name":"CANARY","campaign_brief":"CANARY","goal":"CANARY","goal_context":"CANARY","key_questions":["CANARY?"],"target_segment":"CANARY","playbook":"CANARY","cadence":"CANARY","active":true,"launch_status":"live","created_at":"2026-03-01T00:00:00Z"}
{"kind":"lane","id":"44444444-4444-4444-8444-444444444444","client_id":"CLIENT","slug":"CANARY","display_name":"CANARY","visible":true}
{"kind":"interview","id":"INTERVIEW","client_id":"CLIENT","conversation_goal_id":"CAMPAIGN","participant_name":"CANARY","participant_email":"CANARY@example.com","interview_type":"CANARY","status":"completed","customer_sentiment":"CANARY","churn_risk":"CANARY","best_quote":"CANARY","transcript":[{"role":"customer","text":"CANARY"}],"raw_extraction":{"CANARY":"CANARY"},"custom_extraction":{"product_feedback":"CANARY"},"created_at":"2026-03-01T09:30:00Z","quality":"passed","reportable":true,"client_safe":true,"engagement":"CANARY"}
{"kind":"synthesis_document","id":"55555555-5555-4555-8555-555555555555","client_id":"CLIENT","synthesis_type":"home","document":{"CANARY":"CANARY"},"contract_version":"CANARY","status":"published","cadence":"CANARY","created_at":"2026-03-01T00:00:00Z","updated_at":"2026-03-01T00:00:00Z"}
{"kind":"portal_document","id":"66666666-6666-4666-8666-666666666666","client_id":"CLIENT","type":"home","body":{"schema":"CANARY","CANARY":"CANARY"},"status":"published","published_at":"2026-03-01T00:00:00Z"}
`), "CANARY", canary)

// refusedRecords are lines that an import refuses, with the canary where people's
// words and names stand.
var refusedRecords = func() map[string]string {
	lines := map[string]string{
		"half a line":     `{"kind":"interview","best_quote":"` + canary,
		"half words":      `"` + canary + `"`,
		"a broken escape": `{"kind":"interview","best_quote":"` + canary + `\q"}`,
		"an unknown campaign": strings.ReplaceAll(strings.Split(canaryRecords, "\n")[3], canaryCampaign,
			"77777777-7777-4777-8777-777777777777"),
	}
	interview := `{"kind":"interview","id":"88888888-8888-4888-8888-888888888888","client_id":"` + canaryClient +
		`","created_at":"2026-03-01T09:30:00Z","status":"completed","quality":"passed",%q:%s}`
	for _, field := range []string{"participant_name", "participant_email", "best_quote"} {
		lines[field] = fmt.Sprintf(interview, field, `["`+canary+`"]`)
		lines[field+" with NUL"] = fmt.Sprintf(interview, field, `"`+canary+`\u0000"`)
	}
	for _, field := range []string{"transcript", "raw_extraction", "custom_extraction"} {
		lines[field] = fmt.Sprintf(interview, field, `"`+canary+`"`)
	}
	lines["a turn"] = fmt.Sprintf(interview, "transcript", `["`+canary+`"]`)
	return lines
}()

// askEverything asks what is answered, and what is refused, each way.
func (s *canaryServer) askEverything(t *testing.T, keys map[string]string) {
	t.Helper()
	all := keys["all"]
	for _, path := range []string{
		"/interviews", "/interviews?status=" + canary, "/interviews/" + canaryInterview, "/campaigns?status=" + canary, "/synthesis",
		"/synthesis?surface=portal", "/synthesis?surface=portal&type=lane&lane=" + canary, "/analytics/interviews?campaign=" + canary,
		"/analytics/interviews?date_from=2026-01-01&date_to=2026-12-31", "/intelligence/search?q=" + canary + "&campaign=" + canary,
	} {
		check.Equal(t, s.get(t, path, all), 200, path)
	}
	wrong := all[:len(all)-8] + "AAAAAAAA"
	for _, c := range []struct {
		method, path, authorization string
		want                        int
	}{
		{"GET", "/interviews?" + canary + "=" + canary, "Bearer " + all, 400},
		{"GET", "/interviews?limit=" + canary, "Bearer " + all, 400},
		{"GET", "/interviews?date_from=" + canary, "Bearer " + all, 400},
		{"GET", "/interviews?updated_since=" + canary, "Bearer " + all, 400},
		{"GET", "/interviews?starting_after=" + canary, "Bearer " + all, 400},
		{"GET", "/interviews?status=" + canary + "%zz", "Bearer " + all, 400},
		{"GET", "/campaigns?updated_since=" + canary, "Bearer " + all, 400},
		{"GET", "/synthesis?type=" + canary, "Bearer " + all, 400},
		{"GET", "/synthesis?surface=" + canary, "Bearer " + all, 400},
		{"GET", "/intelligence/search?q=" + canary + "%00", "Bearer " + all, 400},
		{"GET", "/intelligence/search?q=" + strings.Repeat(canary, 50), "Bearer " + all, 400},
		{"GET", "/interviews", "", 401},
		{"GET", "/interviews", "Bearer " + canary, 401},
		{"GET", "/interviews", "Basic " + canary, 401},
		{"GET", "/interviews", "Bearer " + wrong, 401},
		{"GET", "/interviews", "Bearer cik_" + canary[:12] + "_" + canary, 401},
		{"GET", "/interviews", "Bearer " + keys["revoked"], 401},
		{"GET", "/interviews?status=" + canary, "Bearer " + keys["none"], 403},
		{"GET", "/interviews/" + canary, "Bearer " + all, 404},
		{"GET", "/" + canary + "?" + canary, "Bearer " + all, 404},
		{"POST", "/interviews?status=" + canary, "Bearer " + all, 405},
		{strings.ToUpper(canary), "/interviews", "Bearer " + all, 405},
		{"GET", "/mcp?" + canary, "Bearer " + all, 405},
	} {
		if got, body := s.send(t, c.method, c.path, c.authorization, "", nil); got != c.want {
			t.Errorf("%s %s: %d, want %d: %s", c.method, c.path, got, c.want, body)
		}
	}
	for drained := 0; s.statuses[429] == 0; drained++ {
		if s.get(t, "/campaigns?campaign_id="+canary, keys["drained"]); drained > 600 {
			t.Fatal("the key has more than 600 requests")
		}
	}
	s.askAgents(t, all)
	s.askBadly(t)
	s.readMetrics(t)
}

func (s *canaryServer) askAgents(t *testing.T, key string) {
	t.Helper()
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":"CANARY","method":"tools/call","params":{"name":"search_customer_intelligence","arguments":{"q":"CANARY"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_interviews","arguments":{"CANARY":"CANARY"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_interviews","arguments":{"limit":{"CANARY":1}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_interviews","arguments":"CANARY"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"CANARY","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"CANARY","params":{"CANARY":"CANARY"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"CANARY","clientInfo":{"name":"CANARY","version":"CANARY"},"capabilities":{"CANARY":{}}}}`,
		`{"jsonrpc":"CANARY"}`, `["CANARY"]`, `CANARY`, `{"CANARY`, "",
	} {
		s.call(t, key, strings.ReplaceAll(message, "CANARY", canary))
	}
	for _, header := range []map[string]string{
		{"Origin": "https://" + canary + ".example"},
		{"Content-Type": canary},
		{"Content-Type": "application/json", "Accept": canary},
		{"Content-Type": "application/json", "Accept": "*/*", "Mcp-Protocol-Version": canary},
		{"Content-Type": "application/json", "Accept": "*/*", "Mcp-Session-Id": canary},
	} {
		s.send(t, http.MethodPost, "/mcp", "Bearer "+key, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, header)
	}
	s.send(t, http.MethodPost, "/mcp", "Bearer "+key, strings.Repeat(canary, 100_000), map[string]string{"Content-Type": "application/json"})
}

// askBadly sends what is no HTTP at all.
func (s *canaryServer) askBadly(t *testing.T) {
	t.Helper()
	address := strings.TrimPrefix(s.address, "http://")
	for _, text := range []string{
		"GET /" + canary + " HTTP/9.9\r\n\r\n", canary + "\r\n\r\n", "GET /" + canary + "%zz HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: " + canary + "\r\n" + canary + ": " + strings.Repeat(canary, 10_000) + "\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nbad " + canary + "\r\n\r\n",
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		require.NoError(t, err)
		_, _ = io.WriteString(conn, text)
		_, _ = bufio.NewReader(conn).ReadString('\n')
		_ = conn.Close()
	}
}

func (s *canaryServer) readMetrics(t *testing.T) {
	t.Helper()
	for path, want := range map[string]int{"/metrics": 200, "/livez": 200, "/" + canary: 404} {
		s.metrics += get(t, s.operations+path, want)
	}
}

// breakEverything breaks the database under the server, one way after another.
func (s *canaryServer) breakEverything(t *testing.T, d *dbtest.Database, keys map[string]string) {
	t.Helper()
	search := "/intelligence/search?q=" + url.QueryEscape(canary)
	tool := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_customer_intelligence","arguments":{"q":%q}}}`, canary)
	wrong := func(what, path string, want int) {
		t.Helper()
		check.Equal(t, s.get(t, path, keys["all"]), want, what, path)
	}
	// A sixth field, of five: the server panics over it, also in an agent's call.
	d.Exec(t, "CREATE OR REPLACE FUNCTION matched_fields(folded text, needle text) RETURNS integer[] LANGUAGE sql IMMUTABLE AS 'SELECT ARRAY[6]'")
	wrong("a panic", search, 500)
	check.Contains(t, s.call(t, keys["all"], tool), "internal_error", "a panic in an agent's call")
	// Errors that quote what they fail on: a customer's words.
	d.Exec(t, `CREATE OR REPLACE FUNCTION extracted_text(value jsonb) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'bad %', value; END $$`)
	wrong("an error with a client's words", search, 500)
	d.Exec(t, `CREATE OR REPLACE FUNCTION extracted_text(value jsonb) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN (value #>> '{}')::date; END $$`)
	wrong("a value that is none of its type", search, 500)
	s.call(t, keys["all"], tool)
	d.Exec(t, "UPDATE measurement_states SET broken_at = now(), broken_reason = '"+canary+"'")
	wrong("a broken measurement", "/interviews", 503)
	d.Exec(t, "UPDATE measurement_states SET broken_at = NULL, broken_reason = NULL")
	d.Exec(t, "ALTER TABLE portal_documents DROP CONSTRAINT portal_documents_body_is_an_object; UPDATE portal_documents SET body = '\""+canary+"\"'")
	wrong("a body that breaks the contract", "/synthesis?surface=portal", 500)
	d.Exec(t, "ALTER TABLE campaigns DROP CONSTRAINT campaigns_key_questions_is_a_list; UPDATE campaigns SET key_questions = '{\""+canary+"\": \""+canary+"\"}'")
	wrong("questions that are no list", "/campaigns", 500)
	d.Exec(t, "ALTER TABLE campaigns RENAME COLUMN slug TO gone")
	wrong("a column that is gone", "/analytics/interviews?campaign="+canary, 500)
	release := d.Hold(t, "interviews")
	wrong("a database that is too slow", "/interviews?status="+canary, 503)
	release()
	d.Exec(t, "REVOKE EXECUTE ON FUNCTION admit FROM clientintel_server")
	wrong("a limiter that may not", "/interviews?status="+canary, 503)
	s.readMetrics(t)
	d.Exec(t, "GRANT EXECUTE ON FUNCTION admit TO clientintel_server")
	d.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	for range 3 {
		s.get(t, "/interviews?status="+canary, keys["all"])
	}
}
