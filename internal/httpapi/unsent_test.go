package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// A client that asks for large pages and does not read them is refused early, with
// a time to wait, before its answers fill the memory; another client's are sent.
func TestUnsent_EachClientHasItsShare(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	for _, client := range []string{"acme", "globex"} {
		seed.Exec(t, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, transcript)
			SELECT $1, gen_random_uuid(), timestamptz '2026-03-01' + n * interval '1 second', 'completed', 'passed', true, true,
				jsonb_build_array(jsonb_build_object('text', repeat('words ', 10000)))
			FROM generate_series(1, 200) AS n`, seed.Clients[client])
	}
	page := interviews + "?limit=200" // 12 MB
	unread, held := map[int]int{}, []*http.Response{}
	for range 6 {
		answer := get(t, srv.URL+page, srv.KeyFor(t, "acme"))
		if answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
		unread[answer.StatusCode]++
		held = append(held, answer)
	}
	if unread[200] != 2 || unread[503] != 4 {
		t.Errorf("pages that were not read: %v, want 2 of 200 and 4 of 503", unread)
	}
	srv.Get(t, interviews+"?limit=1", srv.KeyFor(t, "acme")).WantError(t, 503, "service_unavailable", "service_unavailable")
	for range 3 {
		srv.Get(t, page, srv.KeyFor(t, "globex")).WantStatus(t, 200)
	}
	for _, answer := range held {
		_ = answer.Body.Close()
	}
	waitFor(t, "what was not read to be given back", func() bool {
		return srv.Get(t, page, srv.KeyFor(t, "acme")).Status == http.StatusOK
	})
}

// A page that is read is whole.
func TestUnsent_AnswersAreWhole(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for range 3 {
		seed.Interview(t, "acme", apitest.Fields{"transcript": []map[string]string{{"text": strings.Repeat("words ", 40_000)}}})
	}
	answer := get(t, srv.URL+interviews, srv.KeyFor(t, "acme"))
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 || len(body) < 700_000 {
		t.Errorf("%d, %d bytes, %v", answer.StatusCode, len(body), err)
	}
}
