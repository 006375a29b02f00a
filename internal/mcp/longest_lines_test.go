package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/verify"
)

// getWhole gets an answer that is too large to be held against the contract.
func getWhole(t *testing.T, url, key string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", url, res.StatusCode, err)
	}
	return body
}

// The longest lines that import accepts (under the race detector, shorter ones) come back whole from every route and every
// tool; search finds what stands at their end; and verify finds nothing wrong.
func TestImport_TheLongestLinesComeBackFromEveryRouteAndTool(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	acme := seed.Clients["acme"].String()
	const id = "77777777-0000-4000-8000-000000000001"
	// filled is a line whose last value is as long as the limit leaves, with a word
	// at its end that nothing else holds.
	filled := func(before, after string) string {
		before = fmt.Sprintf(`{"client_id":%q,"id":%q,`, acme, id) + before
		const word = "Ωmega-last"
		space := longestLine - len(before) - len(after) - len(word)
		return before + strings.Repeat("Я é ", space/6) + strings.Repeat("x", space%6) + word + after + "\n"
	}
	lines := []string{
		filled(`"kind":"interview","created_at":"2026-03-01T00:00:00Z","status":"completed","quality":"passed","reportable":true,"client_safe":true,"custom_extraction":{"best_quote":"`, `"}}`),
		filled(`"kind":"campaign","slug":"long","launch_status":"live","campaign_brief":"`, `"}`),
		filled(`"kind":"synthesis_document","synthesis_type":"home","status":"published","contract_version":"x","created_at":"2026-03-01T00:00:00Z","updated_at":"2026-03-01T00:00:00Z","document":{"text":"`, `"}}`),
		filled(`"kind":"portal_document","type":"home","status":"published","body":{"schema":"x","text":"`, `"}}`),
	}
	var file strings.Builder
	for _, line := range lines {
		if len(line) != longestLine+1 {
			t.Fatalf("a line of %d bytes, want %d", len(line)-1, longestLine)
		}
		file.WriteString(line)
	}
	conn, err := pgx.Connect(t.Context(), srv.Database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", strings.NewReader(file.String()))); err != nil {
		t.Fatal(err)
	}

	key := srv.KeyFor(t, "acme")
	mcp := agent{srv: srv, key: key, revision: "2025-11-25"}
	for _, c := range []struct {
		path, tool, arguments string
		// line is whose content the answer has, -1 for none.
		line int
	}{
		{"/interviews?limit=1", "list_interviews", `{"limit":1}`, 0},
		{"/interviews/" + id, "", "", 0},
		{"/intelligence/search?q=ωMEGA-LAST", "search_customer_intelligence", `{"q":"ωMEGA-LAST"}`, 0},
		{"/analytics/interviews?date_from=2026-03-01&date_to=2026-03-01", "get_interview_analytics", `{"date_from":"2026-03-01","date_to":"2026-03-01"}`, -1},
		{"/campaigns", "list_campaigns", `{}`, 1},
		{"/synthesis", "get_synthesis_document", `{}`, 2},
		{"/synthesis?surface=portal", "get_synthesis_document", `{"surface":"portal"}`, 3},
	} {
		full := "/api/client/v1" + c.path
		body := getWhole(t, srv.URL+full, key)
		var content []byte
		if c.line >= 0 {
			from := strings.LastIndex(lines[c.line], `:"`) + 2
			content = []byte(strings.TrimRight(lines[c.line][from:], "\"}\n"))
		}
		if !bytes.Contains(body, content) {
			t.Errorf("%s: the content is not in the answer of %d bytes", c.path, len(body))
		}
		saved := fmt.Sprintf("{\"request\": %q, \"response\": %s}\n", full, body)
		verified, err := verify.Verify(strings.NewReader(saved), nil)
		if err != nil {
			t.Fatalf("%s: verify: %v", c.path, err)
		}
		if err := verified.Reports[0].Err(); err != nil {
			t.Errorf("%s: verify: %v", c.path, err)
		}
		if c.tool == "" {
			continue
		}
		got := mcp.call(t, c.tool, c.arguments)
		if text := got.Content[0].Text; got.IsError || !strings.Contains(text, string(content)) || !bytes.Contains(got.StructuredContent, content) {
			t.Errorf("%s %s: the content is not in both fields of the result: %.300s", c.tool, c.arguments, text)
		}
	}
}
