//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// tally is how a flood's requests were answered.
type tally struct {
	mu       sync.Mutex
	Statuses map[int]int // 0: connections that broke or were refused
	// WrongErrors are answers of 500 and above, but for a 503 with Retry-After.
	WrongErrors int
}

func newTally() *tally { return &tally{Statuses: map[int]int{}} }

func (t *tally) add(status int, header http.Header) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Statuses[status]++
	if status >= 500 && (status != http.StatusServiceUnavailable || header.Get("Retry-After") == "") {
		t.WrongErrors++
	}
}

func (t *tally) broke() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Statuses[0]++
}

func (t *tally) String() string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(t.Statuses)) {
		parts = append(parts, fmt.Sprintf("%d×%d", t.Statuses[status], status))
	}
	return strings.Join(parts, " ")
}

// answer is one to the observed client.
type answer struct {
	began, ended time.Time
	status       int // 0: the connection broke, or nothing came in 10 seconds
}

func (a answer) took() time.Duration { return a.ended.Sub(a.began) }

const (
	// observed is the client that must not notice the others' floods.
	observed = "acme"
	// keys of it ask, each once a second, or one of them each 15 seconds.
	keys         = 20
	rareInterval = 15 * time.Second
	// recovery is how long it goes on to ask when a flood has ended.
	recovery = 6 * time.Second
)

// The bounds.
const (
	maxProxied   = 100 * time.Millisecond // p99 behind the proxy
	maxValid     = time.Second            // p99 under floods with valid keys
	maxRecovery  = 5 * time.Second
	maxMegabytes = 512
)

// result is one line of the table.
type result struct {
	flood        flood
	proxied      bool
	alone, under []answer
	own          *tally
	megabytes    float64
	recovered    time.Duration // from the flood's end to that of the last answer that was refused or slow
}

const heading = "flood                          way    p99 alone  p99 under  refused    MB  healthy  the flood's answers"

func (r result) String() string {
	way := "alone"
	if r.proxied {
		way = "proxy"
	}
	return fmt.Sprintf("%-30s %-6s %9s %10s %5d/%-4d %4.0f %7.1fs  %s %s", r.flood.name, way,
		p99(r.alone).Round(100*time.Microsecond), p99(r.under).Round(100*time.Microsecond), refused(r.under), len(r.under),
		r.megabytes, r.recovered.Seconds(), r.own, strings.Join(r.broken(), " "))
}

// broken are the bounds that were passed.
func (r result) broken() (bounds []string) {
	bound := func(isBroken bool, name string) {
		if isBroken {
			bounds = append(bounds, "!"+name)
		}
	}
	bound(r.proxied && p99(r.under) > maxProxied, "p99")
	bound(r.flood.clients != nil && p99(r.under) > maxValid, "p99")
	bound((r.proxied || r.flood.clients != nil) && refused(r.under) > 0, "refused")
	bound(r.recovered > maxRecovery, "healthy")
	bound(r.megabytes > maxMegabytes, "MB")
	bound(r.own.WrongErrors > 0, "errors")
	return bounds
}

func refused(answers []answer) (n int) {
	for _, a := range answers {
		if a.status != http.StatusOK {
			n++
		}
	}
	return n
}

// p99 is that of what was answered with 200.
func p99(answers []answer) time.Duration {
	var took []time.Duration
	for _, a := range answers {
		if a.status == http.StatusOK {
			took = append(took, a.took())
		}
	}
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// measure observes a client without a flood, under it, and after it.
func (s *environment) measure(ctx context.Context, f flood, proxied bool) (result, error) {
	r := result{flood: f, proxied: proxied}
	j := job{Flood: f.name, Address: host(s.servers[0].URL), Program: s.base.Program, DatabaseURL: s.pg.OwnerURL()}
	o := &observer{url: s.servers[0].URL, interval: time.Second}
	under := s.servers[:1]
	if proxied {
		j.Address, j.Certificate = s.balancer.Address, s.balancer.Certificate
		o.url, under = "https://"+s.balancer.Address, s.servers[:]
		var err error
		if o.secure, err = cluster.TrustCertificate(s.balancer.Certificate); err != nil {
			return r, err
		}
	}
	callers, length := keys, s.length
	if f.isRare {
		callers, o.interval, length = 1, rareInterval, 4*rareInterval+time.Second
	}
	var err error
	if o.keys, err = s.pg.IssueKeys(ctx, observed, callers); err != nil {
		return r, err
	}
	for _, client := range f.clients {
		if client == "umbrella" {
			continue // imported only
		}
		issued, err := s.pg.IssueKeys(ctx, client, keysPerClient)
		if err != nil {
			return r, err
		}
		j.Keys = append(j.Keys, issued...)
	}

	r.alone = o.observe(ctx, 5*time.Second)
	for _, server := range under {
		resetPeak(server)
	}
	stop, err := startFlood(ctx, j)
	if err != nil {
		return r, err
	}
	pause(ctx, time.Second) // until it weighs
	var after []answer
	var afterwards sync.WaitGroup
	afterwards.Go(func() { after = o.observe(ctx, length+recovery) })
	pause(ctx, length)
	r.own, err = stop()
	if err != nil {
		return r, err
	}
	ended := time.Now()
	afterwards.Wait()
	for _, a := range after {
		if a.began.Before(ended) {
			r.under = append(r.under, a)
		}
		if (a.status != http.StatusOK || a.took() > time.Second) && a.ended.After(ended) {
			r.recovered = max(r.recovered, a.ended.Sub(ended))
		}
	}
	for _, server := range under {
		r.megabytes = max(r.megabytes, peak(server))
		if server.Ended() {
			return r, fmt.Errorf("a server ended: %s", server.Logs())
		}
	}
	return r, ctx.Err()
}

// observer is the client that is observed.
type observer struct {
	url      string
	secure   *tls.Config
	keys     []string
	interval time.Duration
}

// observe has each key ask at its interval, at moments spread over it. Every other key
// opens a connection for each request.
func (o *observer) observe(ctx context.Context, length time.Duration) (answers []answer) {
	var clients [2]*http.Client
	for i := range clients {
		transport := &http.Transport{TLSClientConfig: o.secure, MaxIdleConnsPerHost: keys, DisableKeepAlives: i == 1}
		defer transport.CloseIdleConnections()
		clients[i] = &http.Client{Transport: transport, Timeout: 10 * time.Second}
	}
	began := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, key := range o.keys {
		all.Go(func() {
			for at := o.interval * time.Duration(i) / time.Duration(len(o.keys)); at < length; at += o.interval {
				pause(ctx, time.Until(began.Add(at)))
				a := answer{began: time.Now()}
				a.status = ask(ctx, clients[i%2], o.url+interviews+"?limit=20", key)
				a.ended = time.Now()
				mu.Lock()
				answers = append(answers, a)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return answers
}

func ask(ctx context.Context, client *http.Client, url, key string) (status int) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0
	}
	return response.StatusCode
}

// resetPeak begins to measure a server's largest memory, which peak returns in megabytes.
func resetPeak(server *cluster.Server) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", server.PID), []byte("5"), 0)
}

func peak(server *cluster.Server) (megabytes float64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.PID))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(after, &megabytes)
	return megabytes / 1e3
}
