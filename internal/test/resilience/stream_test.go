//go:build linux

package resilience

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// everything is a window too large to be held: it is read while it is sent.
const everything = "/analytics/interviews?date_from=2000-01-01&date_to=2100-01-01"

// An answer that breaks off in the middle, whatever the reason, is never a whole
// one, never hangs, and leaves no connection taken.
func TestAnswersBreakOff(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.number(t, `WITH made AS (
			INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe)
			SELECT c.id, gen_random_uuid(), now() - n * interval '1 second', 'completed', 'passed', true, true
			FROM clients AS c, generate_series(1, 120000) AS n WHERE c.slug = 'globex' RETURNING 1
		) SELECT count(*) FROM made`)
	for _, c := range []struct {
		name   string
		strike func(*cluster.Server)
	}{
		{"PostgreSQL is killed", func(*cluster.Server) { w.Kill() }},
		{"PostgreSQL is frozen", func(*cluster.Server) { w.Freeze() }},
		{"the server is killed", func(s *cluster.Server) { s.Kill() }},
	} {
		s := w.serve(t, w.OwnerURL())
		key := w.key(t, "globex")
		body := w.begin(t, s, key)
		c.strike(s)
		began := time.Now()
		rest, err := io.ReadAll(body)
		t.Logf("%s: broken after %s and %d bytes", c.name, time.Since(began), len(rest))
		if err == nil || json.Valid(rest) {
			t.Errorf("%s: the answer ended as if it were whole", c.name)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: that took %s", c.name, took)
		}
		w.Resume()
		if w.Ended() {
			if err := w.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if !s.Ended() {
			w.awaitReady(t, s, key)
			w.wantNoneTaken(t, s, "stream")
		}
	}
	// A caller that disconnects frees the connection at once.
	s := w.serve(t, w.OwnerURL())
	body := w.begin(t, s, w.key(t, "globex"))
	_ = body.Close()
	w.wantNoneTaken(t, s, "stream")
	w.wantCorrectCounts(t, s)
}

// begin reads the beginning of a long answer. What is not read stays with the
// server: the system's own buffers could take all of it.
func (w *environment) begin(t *testing.T, s *cluster.Server, key string) io.ReadCloser {
	t.Helper()
	narrow := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.(*net.TCPConn).SetReadBuffer(16 << 10)
	}}
	t.Cleanup(narrow.CloseIdleConnections)
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL+cluster.Prefix+everything, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := (&http.Client{Transport: narrow}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != 200 {
		t.Fatalf("status %d", answer.StatusCode)
	}
	if _, err := io.ReadFull(answer.Body, make([]byte, 64<<10)); err != nil {
		t.Fatal(err)
	}
	return answer.Body
}

// wantNoneTaken waits until no connection of a pool is in use.
func (w *environment) wantNoneTaken(t *testing.T, s *cluster.Server, pool string) {
	t.Helper()
	name := `clientintel_pool_connections_in_use{pool="` + pool + `"}`
	var taken float64
	for end := time.Now().Add(recovery); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		figures, err := s.Metrics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if taken = figures[name]; taken == 0 {
			return
		}
	}
	t.Errorf("%v connections of the pool %s are still taken", taken, pool)
}
