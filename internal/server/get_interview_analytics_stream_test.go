package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// wholeYear is a window too large to be buffered.
const wholeYear = analyticsPath + "?date_from=2026-01-01&date_to=2026-12-31"

// streamed is how many interviews it has: some more than are buffered. Their
// campaign's long name makes a response of 20 MB of them, which fills every buffer on the way.
const streamed = 51_000

func seedStreamed(t *testing.T, seed *apitest.Seed, client string) {
	t.Helper()
	campaign := seed.Campaign(t, client, apitest.Fields{"slug": "long", "display_name": strings.Repeat("A long name ", 25)})
	seed.Exec(t, `INSERT INTO interviews (client_id, id, campaign_id, created_at, status, quality, reportable, client_safe, nps_score)
		SELECT $1, gen_random_uuid(), $2, timestamptz '2026-03-01' + n * interval '1 second', 'completed', 'passed', true, true, n % 11
		FROM generate_series(1, $3::integer) AS n`, seed.Clients[client], campaign, streamed)
}

// get begins to read a response. What is not read stays with the server: the
// system's own buffers could take 32 MB of it.
func get(t *testing.T, url, key string) *http.Response {
	t.Helper()
	narrow := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.(*net.TCPConn).SetReadBuffer(16 << 10)
	}}
	t.Cleanup(narrow.CloseIdleConnections)
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := (&http.Client{Transport: narrow}).Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// Each of these reads responses of 51,000 rows, of two clients.
func TestAnalytics_Streams(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	seedStreamed(t, seed, "acme")
	seedStreamed(t, seed, "globex")
	t.Run("are whole", func(t *testing.T) { streamsAreWhole(t, srv) })
	t.Run("break visibly", func(t *testing.T) { brokenStreamsAreNeverWhole(t, srv) })
	t.Run("keep to their share", func(t *testing.T) { slowReadersKeepToTheirShare(t, srv) })
}

// A streamed response is the same JSON, whole, with its sums, however responses are checked.
func streamsAreWhole(t *testing.T, srv *apitest.Server) {
	t.Helper()
	for _, mode := range []config.ResponseValidation{config.Enforce, config.Off} {
		another := *srv
		another.URL = srv.StartAnother(t, func(c *config.Server) { c.ResponseValidation = mode })
		got := analyticsOf(t, another.Get(t, wholeYear, srv.KeyFor(t, "globex")))
		d := got.Data
		if d.Total != streamed || len(d.Rows) != streamed || got.Meta.Count != streamed ||
			sum(d.Volume) != streamed || sum(d.Campaigns) != streamed || sum(d.Sentiment) != streamed || len(d.Volume) != 365 {
			t.Errorf("%s: total %d, %d rows, counted %d", mode, d.Total, len(d.Rows), got.Meta.Count)
		}
	}
}

// When the database goes away in mid-response, the connection breaks: what was
// sent can never be read as a whole response. The log tells, and the next is served.
func brokenStreamsAreNeverWhole(t *testing.T, srv *apitest.Server) {
	t.Helper()
	key := srv.KeyFor(t, "acme")
	answer := get(t, srv.URL+wholeYear, key)
	if answer.StatusCode != 200 {
		t.Fatalf("status %d", answer.StatusCode)
	}
	begun := make([]byte, 64<<10)
	_, err := io.ReadFull(answer.Body, begun)
	require.NoError(t, err)
	// The server waits for us to read on; its backend waits for it.
	killed := dbtest.Value[int](t, srv.Database, `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'clientintel stream' AND query LIKE '%ListDataPoints%' AND state IN ('active', 'idle in transaction')`)
	if killed != 1 {
		t.Fatalf("%d streams were under way, want 1", killed)
	}
	if rest, err := io.ReadAll(answer.Body); err == nil {
		t.Fatalf("the answer ended as if it were whole, after %d bytes", len(begun)+len(rest))
	} else if json.Valid(append(begun, rest...)) {
		t.Error("what was sent is valid JSON")
	}
	// The connection came back.
	check.Equal(t, analyticsOf(t, srv.Get(t, wholeYear, key)).Data.Total, streamed, "the next answer")
	check.Equal(t, strings.Count(srv.Logs.String(), `"aborted":true`), 1, "logged broken answers")
}

// Slow readers of streamed responses keep to their share: the next ones are refused
// in time, and while they wait, everything else goes on.
func slowReadersKeepToTheirShare(t *testing.T, srv *apitest.Server) {
	t.Helper()
	key := srv.KeyFor(t, "acme")
	for range 2 {
		slow := get(t, srv.URL+wholeYear, key)
		_, err := io.ReadFull(slow.Body, make([]byte, 1000))
		require.NoError(t, err)
	}
	var waiting sync.WaitGroup
	for range 4 { // as many as the readers' pool has connections
		waiting.Go(func() {
			if status, err := statusOf(srv.URL+wholeYear, key); err != nil || status != 503 {
				t.Errorf("one answer too many: status %d, %v", status, err)
			}
		})
	}
	done := make(chan struct{})
	go func() { waiting.Wait(); close(done) }()
	// Another client has streams of its own.
	if body, err := io.ReadAll(get(t, srv.URL+wholeYear, srv.KeyFor(t, "globex")).Body); err != nil || !json.Valid(body) {
		t.Errorf("another client's stream: %d bytes, %v", len(body), err)
	}
	for {
		srv.Get(t, interviews+"?limit=1", key).WantStatus(t, 200)
		srv.Get(t, analyticsPath+"?date_from=2026-01-01&date_to=2026-01-31", key).WantStatus(t, 200)
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond): // the key has 600 requests
		}
	}
}

// A year is as long as it is: the days of two interviews that are centuries apart
// are streamed too.
func TestAnalytics_CenturiesOfDaysAreStreamed(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, at := range []string{"1300-02-03", "1500-01-01"} {
		seed.Interview(t, "globex", apitest.Fields{"created_at": apitest.At(at)})
	}
	url := srv.StartAnother(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	answer := get(t, url+analyticsPath+"?date_from=0001-01-01", srv.KeyFor(t, "globex"))
	var body analyticsBody
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&body))
	days := int(apitest.At("1500-01-01").Sub(apitest.At("1300-02-03")).Hours())/24 + 1
	volume := body.Data.Volume
	if len(volume) != days || sum(volume) != 2 || volume[0] != (point{"1300-02-03", 1}) || volume[days-1] != (point{"1500-01-01", 1}) {
		t.Errorf("%d days with %d interviews, want %d with 2", len(volume), sum(volume), days)
	}
	if answer.ContentLength >= 0 {
		t.Errorf("the answer was held: it told its length of %d bytes", answer.ContentLength)
	}
}

// A database that fails before the first byte is an ordinary refusal.
func TestAnalytics_AFailureBeforeTheFirstByteIsAResponse(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.StatementTimeout = 100 * time.Millisecond })
	seed.Interview(t, "acme", nil)
	seed.Exec(t, "BEGIN")
	seed.Exec(t, "LOCK TABLE campaigns")
	answer := srv.Get(t, analyticsPath, srv.KeyFor(t, "acme")).WantError(t, 503, "service_unavailable", "service_unavailable")
	if answer.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	seed.Exec(t, "ROLLBACK")
	srv.Get(t, analyticsPath, srv.KeyFor(t, "acme")).WantStatus(t, 200)
}

// statusOf reads no body. It is for goroutines, which cannot end the test.
func statusOf(url, key string) (int, error) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}
