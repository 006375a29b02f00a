package httpapi_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// insertLargeInterviews makes a page of 200 interviews take 12 MB.
func insertLargeInterviews(t *testing.T, seed *apitest.Seed, client string) {
	t.Helper()
	seed.Exec(t, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, transcript)
		SELECT $1, gen_random_uuid(), timestamptz '2026-03-01' + n * interval '1 second', 'completed', 'passed', true, true,
			jsonb_build_array(jsonb_build_object('text', repeat('words ', 10000)))
		FROM generate_series(1, 200) AS n`, seed.Clients[client])
}

// A client that asks for large pages and does not read them is refused early, with
// a time to wait, before its responses fill the memory; another client's are sent.
func TestUnsent_EachClientHasItsShare(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	for _, client := range []string{"acme", "globex"} {
		insertLargeInterviews(t, seed, client)
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

// A page for which there is no space is not read to its end, and not begun where its
// size is known. Counted are the bytes that this process allocates.
func TestUnsent_PagesWithoutSpaceAreNotRead(t *testing.T) { //nolint:paralleltest // others allocate too
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	insertLargeInterviews(t, seed, "acme")
	known := srv.KeyFor(t, "acme")
	var held []*http.Response
	for _, limit := range []string{"200", "130"} { // 12 MB and 8 MB: another 5 MB fit
		held = append(held, get(t, srv.URL+interviews+"?limit="+limit, known))
	}
	refusedTakes := func(key string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		srv.Get(t, interviews+"?limit=200", key).WantError(t, 503, "service_unavailable", "service_unavailable")
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	// 39 MB: a page that grows takes several times its size on the way. All of it takes 79.
	if got := refusedTakes(srv.KeyFor(t, "acme", auth.ReadInterviewsMetadata, auth.ReadTranscripts)); got > 55<<20 {
		t.Errorf("a page of unknown size takes %d bytes until it is refused", got)
	}
	if got := refusedTakes(known); got > 1<<20 {
		t.Errorf("a page of known size takes %d bytes until it is refused", got)
	}
	waiting := make(chan int, 1)
	go func() { waiting <- srv.Get(t, interviews+"?limit=200", known).Status }()
	_ = held[0].Body.Close()
	if got := <-waiting; got != http.StatusOK {
		t.Errorf("a page whose space is given back: %d, want 200", got)
	}
	_ = held[1].Body.Close()
}

// A page that is read is whole.
func TestUnsent_ResponsesAreWhole(t *testing.T) {
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
