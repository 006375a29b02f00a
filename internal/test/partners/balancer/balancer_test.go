//go:build partners && linux

package balancer

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/require"
)

const path = "/api/client/v1/interviews"

// server stands in for one of ours.
type server struct {
	api, operations *httptest.Server
	unready         atomic.Bool
	breaks          atomic.Bool // every connection, as soon as a request has come
	requests        atomic.Int64
}

// newServer has an API that answers 401 to the key "unknown", and else, after the time that
// X-Hold names, with the headers that it got.
func newServer(t *testing.T) *server {
	s := &server{}
	s.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if s.breaks.Load() {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		hold, _ := time.ParseDuration(r.Header.Get("X-Hold"))
		time.Sleep(hold)
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		if r.Header.Get("Authorization") == "Bearer unknown" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_ = json.NewEncoder(w).Encode(r.Header)
	}))
	s.operations = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.unready.Load() || r.URL.Path != "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(s.operations.Close)
	t.Cleanup(s.close)
	return s
}

// close ends the API as a killed process does.
func (s *server) close() {
	s.api.Listener.Close()
	s.api.CloseClientConnections()
}

// start starts two servers and the balancer.
func start(t *testing.T) (*cluster.Balancer, [2]*server) {
	t.Helper()
	servers := [2]*server{newServer(t), newServer(t)}
	var backends [2]cluster.Backend
	for i, s := range servers {
		backends[i] = cluster.Backend{API: s.api.Listener.Addr().String(), Operations: s.operations.Listener.Addr().String()}
	}
	b, err := cluster.StartBalancer(t.Context(), t.TempDir(), "../../../../deploy/haproxy.cfg", backends)
	require.NoError(t, err)
	t.Cleanup(b.Stop)
	return b, servers
}

// dial connects from one of this machine's own addresses.
func dial(ctx context.Context, t *testing.T, b *cluster.Balancer, from string, protocols ...string) (net.Conn, error) {
	t.Helper()
	shown, err := os.ReadFile(b.Certificate)
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(shown)
	dialer := tls.Dialer{
		Config:    &tls.Config{RootCAs: trusted, NextProtos: protocols},
		NetDialer: &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}},
	}
	return dialer.DialContext(ctx, "tcp", b.Address)
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// caller sends requests with a key from an address.
func caller(t *testing.T, b *cluster.Balancer, from string) func(key string, headers ...string) answer {
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dial(ctx, t, b, from, "h2")
	}}}
	t.Cleanup(client.CloseIdleConnections)
	return func(key string, headers ...string) answer {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://localhost"+path+"?q=secret", nil)
		require.NoError(t, err)
		if key != "" {
			request.Header.Set("Authorization", "Bearer "+key)
		}
		for i := 0; i < len(headers); i += 2 {
			request.Header.Add(headers[i], headers[i+1])
		}
		response, err := client.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return answer{response, string(body)}
	}
}

// wantEnvelope wants one of the balancer's own refusals.
func wantEnvelope(t *testing.T, got answer, status int, code string) {
	t.Helper()
	var envelope struct{ Error, Code string }
	if err := json.Unmarshal([]byte(got.body), &envelope); err != nil || envelope.Error == "" || envelope.Code != code ||
		got.StatusCode != status || got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("status %d, %v, %s; want %d and the envelope with %s", got.StatusCode, got.Header, got.body, status, code)
	}
	if (status == http.StatusServiceUnavailable) != (got.Header.Get("Retry-After") != "") {
		t.Errorf("status %d with Retry-After %q", status, got.Header.Get("Retry-After"))
	}
}

// The servers see the caller's address, not one that it names, and a request id that is
// the caller's where that is a good one.
func TestRequests_CarryAddressAndID(t *testing.T) {
	b, _ := start(t)
	ask := caller(t, b, "127.0.0.2")
	long := strings.Repeat("x", 129)
	for _, sent := range [][]string{
		{"X-Request-Id", "mine", "X-Forwarded-For", "192.0.2.1"},
		{"X-Request-Id", long},
		{"X-Request-Id", "one", "X-Request-Id", "two"},
		{},
	} {
		got := ask("good", sent...)
		var seen http.Header
		require.NoError(t, json.Unmarshal([]byte(got.body), &seen))
		ids := seen["X-Request-Id"]
		if len(ids) != 1 || got.Header.Get("X-Request-Id") != ids[0] {
			t.Errorf("sent %.60q: the server saw the ids %q, the caller %q", sent, ids, got.Header["X-Request-Id"])
		} else if isMine := ids[0] == "mine"; isMine != (len(sent) == 4 && sent[1] == "mine") || !isMine && len(ids[0]) != 36 {
			t.Errorf("sent %.60q: the id is %q", sent, ids[0])
		}
		if from := seen["X-Forwarded-For"]; len(from) != 1 || from[0] != "127.0.0.2" {
			t.Errorf("X-Forwarded-For %q, want the caller's address alone", from)
		}
	}
}

// A server that breaks connections or is killed loses no request, one that is not ready gets none, and when
// all are gone the answer is the API's envelope.
func TestServers_AreReplaced(t *testing.T) {
	b, servers := start(t)
	ask := caller(t, b, "127.0.0.2")
	good := func(n int) {
		t.Helper()
		for range n {
			if got := ask("good"); got.StatusCode != http.StatusOK {
				t.Fatalf("status %d, %s", got.StatusCode, got.body)
			}
		}
	}
	good(20)
	if one, two := servers[0].requests.Load(), servers[1].requests.Load(); one < 5 || two < 5 {
		t.Errorf("%d and %d requests, want both servers at work", one, two)
	}
	servers[0].unready.Store(true)
	time.Sleep(4 * time.Second) // below CLIENTINTEL_DRAIN_DELAY
	before := servers[0].requests.Load()
	good(20)
	if after := servers[0].requests.Load(); after != before {
		t.Errorf("a server that is not ready got %d requests", after-before)
	}
	servers[0].unready.Store(false)
	time.Sleep(4 * time.Second)
	good(20)
	if servers[0].requests.Load() == before {
		t.Error("a server that is ready again got no request")
	}
	servers[0].breaks.Store(true)
	for range 10 { // without a client that tries again by itself
		conn, err := dial(t.Context(), t, b, "127.0.0.2")
		require.NoError(t, err)
		defer conn.Close()
		_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n")
		if got := read(t, conn); got.StatusCode != http.StatusOK {
			t.Fatalf("status %d, %s", got.StatusCode, got.body)
		}
	}
	servers[0].close()
	good(20)
	servers[1].close()
	got := ask("good", "X-Request-Id", "mine")
	wantEnvelope(t, got, http.StatusServiceUnavailable, "service_unavailable")
	check.Equal(t, got.Header.Get("X-Request-Id"), "mine", "X-Request-Id")
}

// An address whose keys are refused, or that shows none, is slowed down and answered with
// 503. Others are not, and it is served again when it stops.
func TestLimits_RequestsWithoutAValidKey(t *testing.T) {
	b, servers := start(t)
	for from, key := range map[string]string{"127.0.0.2": "unknown", "127.0.0.3": ""} {
		t.Run(from, func(t *testing.T) {
			ask := caller(t, b, from)
			for range 30 {
				if got := ask(key); got.StatusCode == http.StatusServiceUnavailable {
					t.Fatal("refused below the limit")
				}
			}
			if key == "unknown" { // counted when it is answered
				ask(key)
			}
			before := servers[0].requests.Load() + servers[1].requests.Load()
			began := time.Now()
			wantEnvelope(t, ask(key), http.StatusServiceUnavailable, "service_unavailable")
			if took := time.Since(began); took < 1500*time.Millisecond {
				t.Errorf("refused after %v, want 2s", took)
			}
			check.Equal(t, servers[0].requests.Load()+servers[1].requests.Load(), before, "requests that reached a server")
			if got := caller(t, b, "127.0.0.4")("good"); got.StatusCode != http.StatusOK {
				t.Errorf("status %d at another address", got.StatusCode)
			}
			time.Sleep(12 * time.Second)
			if got := ask("good"); got.StatusCode != http.StatusOK {
				t.Errorf("status %d when the address has stopped", got.StatusCode)
			}
		})
	}
}

// One address has 64 connections and as many requests at once, and in 10 seconds 500 new
// connections and 1,000 requests.
func TestLimits_OfAnAddress(t *testing.T) {
	b, _ := start(t)
	for i := range 64 {
		conn, err := dial(t.Context(), t, b, "127.0.0.2")
		require.NoError(t, err, i)
		defer conn.Close()
	}
	if conn, err := dial(t.Context(), t, b, "127.0.0.2"); err == nil {
		conn.Close()
		t.Error("an address has 65 connections")
	}

	for i := range 501 {
		conn, err := dial(t.Context(), t, b, "127.0.0.5")
		if isOpened := err == nil; isOpened != (i < 500) {
			t.Fatalf("connection %d of 10 seconds: %v", i+1, err)
		} else if isOpened {
			conn.Close()
		}
	}

	// HTTP/2 has more requests on a connection.
	ask := caller(t, b, "127.0.0.3")
	var refused atomic.Int64
	var all sync.WaitGroup
	for range 65 {
		all.Go(func() {
			if got := ask("good", "X-Hold", "3s"); got.ProtoMajor != 2 {
				t.Errorf("HTTP/%d, want 2", got.ProtoMajor)
			} else if got.StatusCode == http.StatusServiceUnavailable {
				refused.Add(1)
			}
		})
	}
	all.Wait()
	check.Equal(t, refused.Load(), 1, "refused of 65 requests at once")

	ask = caller(t, b, "127.0.0.4")
	for range 1000 {
		if got := ask("good"); got.StatusCode != http.StatusOK {
			t.Fatalf("status %d below the limit", got.StatusCode)
		}
	}
	wantEnvelope(t, ask("good"), http.StatusServiceUnavailable, "service_unavailable")
}

// No server hears of headers or a body that do not come in 5 seconds, or of what is no
// HTTP. HAProxy has a text of its own for what it refuses before the headers are whole.
func TestSlowAndMalformedRequests(t *testing.T) {
	b, servers := start(t)
	var all sync.WaitGroup
	for _, sent := range []struct {
		text     string
		status   int
		envelope bool
	}{
		{"GET " + path + " HTTP/1.1\r\nHost: x\r\nX-Slow: ", http.StatusRequestTimeout, false},
		{"POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx", http.StatusRequestTimeout, true},
		{"no request\r\n\r\n", http.StatusBadRequest, false},
		{"GET " + path + " HTTP/1.1\r\nHost: x\r\nX-Large: " + strings.Repeat("x", 17<<10), http.StatusBadRequest, false},
	} {
		all.Go(func() {
			conn, err := dial(t.Context(), t, b, "127.0.0.2")
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, sent.text)
			began := time.Now()
			got := read(t, conn)
			if took := time.Since(began); got.StatusCode != sent.status || took > 8*time.Second {
				t.Errorf("%.60q is answered with %d after %v, want %d", sent.text, got.StatusCode, took, sent.status)
			}
			if sent.envelope {
				wantEnvelope(t, got, sent.status, "request_timeout")
			}
		})
	}
	all.Wait()
	check.Equal(t, servers[0].requests.Load()+servers[1].requests.Load(), 0, "requests that reached a server")
}

func read(t *testing.T, conn net.Conn) answer {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Error(err)
		return answer{&http.Response{}, ""}
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return answer{response, string(body)}
}
