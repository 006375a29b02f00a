package server_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

func TestRateLimit_Refusal(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	issued := srv.Issue(t, keyRequest("acme"))
	srv.Get(t, interviews, issued.Key).WantStatus(t, 200)
	// 599 further requests, the first of all being 59 minutes old.
	seed.Exec(t, `WITH moved AS (UPDATE request_log SET at = at - interval '59 minutes' WHERE key_id = $1 RETURNING client_id, at)
		INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT m.client_id, $1, m.at + interval '1 second', n, 'listInterviews', 200 FROM moved AS m, generate_series(2, 600) AS n`, issued.ID)

	for range 3 { // refusals consume nothing
		before := time.Now()
		answer := srv.Get(t, interviews, issued.Key).WantError(t, 429, "rate_limited", "rate_limited")
		check.Equal(t, answer.Header.Get("X-RateLimit-Limit"), "600", "Limit")
		check.Equal(t, answer.Header.Get("X-RateLimit-Remaining"), "0", "Remaining")
		wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		if err != nil || wait < 50 || wait > 60 {
			t.Errorf("Retry-After is %q, want about a minute", answer.Header.Get("Retry-After"))
		}
		reset, err := strconv.ParseInt(answer.Header.Get("X-RateLimit-Reset"), 10, 64)
		if off := reset - before.Unix() - int64(wait); err != nil || off < -1 || off > 2 {
			t.Errorf("Reset is %q, which is %d s away from Retry-After", answer.Header.Get("X-RateLimit-Reset"), off)
		}
	}
	// However many ask at once, whoever is over the limit is told so.
	var crowd sync.WaitGroup
	for range 200 {
		crowd.Go(func() {
			if answer := srv.Get(t, interviews, issued.Key); answer.Status != http.StatusTooManyRequests {
				t.Errorf("in a crowd, status %d: %s", answer.Status, answer.Body)
			}
		})
	}
	crowd.Wait()
	seed.Exec(t, "UPDATE request_log SET at = at - interval '1 minute' WHERE key_id = $1 AND seq = 1", issued.ID)
	srv.Get(t, interviews, issued.Key).WantStatus(t, 200)
	srv.Get(t, interviews, issued.Key).WantStatus(t, 429)
}
