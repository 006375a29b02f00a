//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// The bounds.
const (
	maxProxied   = 100 * time.Millisecond // p99 behind the proxy
	maxValid     = time.Second            // p99 under floods with valid keys
	maxRecovery  = 5 * time.Second
	maxMegabytes = 512
)

// recovery is how long the observed client goes on to ask when a flood has ended.
const recovery = 6 * time.Second

// environment is two servers on one database, and the proxy in front of them.
type environment struct {
	base     *cluster.Base
	pg       *cluster.Postgres
	servers  [2]*cluster.Server
	balancer *cluster.Balancer
	length   time.Duration
}

// result is one line of the table.
type result struct {
	flood        flood
	proxied      bool
	alone, under []answer
	statuses     string // of the flood
	megabytes    float64
	recovered    time.Duration // from the flood's end to that of the last answer that was refused or slow
}

const heading = "flood                          way    p99 alone  p99 under  refused     MB  healthy  the flood's answers"

func (r result) String() string {
	way := "alone"
	if r.proxied {
		way = "proxy"
	}
	return fmt.Sprintf("%-30s %-6s %9s %10s %4d/%-4d %5.0f %7.1fs  %s %s", r.flood.name, way,
		p99(r.alone).Round(100*time.Microsecond), p99(r.under).Round(100*time.Microsecond),
		refused(r.under), len(r.under), r.megabytes, r.recovered.Seconds(), r.statuses, strings.Join(r.broken(), " "))
}

// broken are the bounds that were passed.
func (r result) broken() (names []string) {
	bound := func(name string, isPassed bool) {
		if isPassed {
			names = append(names, "!"+name)
		}
	}
	bound("p99", r.proxied && p99(r.under) > maxProxied || r.flood.hasKeys() && p99(r.under) > maxValid)
	bound("refused", (r.proxied || r.flood.hasKeys()) && refused(r.under) > 0)
	bound("healthy", r.recovered > maxRecovery)
	bound("MB", r.megabytes > maxMegabytes)
	bound("500", strings.Contains(r.statuses, `"500"`))
	return names
}

func refused(answers []answer) (n int) {
	for _, a := range answers {
		if a.Status != http.StatusOK {
			n++
		}
	}
	return n
}

// p99 is that of all answers, whatever they are.
func p99(answers []answer) time.Duration {
	if len(answers) == 0 {
		return 0
	}
	slices.SortFunc(answers, func(a, b answer) int { return int(a.Took - b.Took) })
	return answers[len(answers)*99/100].Took
}

// measure observes a client without a flood, under it, and after it.
func (s *environment) measure(ctx context.Context, f flood, proxied bool) (result, error) {
	r := result{flood: f, proxied: proxied}
	j := job{Flood: f.name, Length: s.length + time.Second, URL: s.servers[0].URL}
	o := observer{interval: time.Second}
	servers, keys := s.servers[:1], 20
	if proxied {
		j.URL, servers = "https://"+s.balancer.Address, s.servers[:]
	}
	o.url = j.URL
	if f.isRare {
		keys, o.interval, j.Length = 1, 15*time.Second, 62*time.Second
	}
	var err error
	if o.keys, err = s.pg.IssueKeys(ctx, observed, keys); err != nil {
		return r, err
	}
	for _, client := range f.clients {
		issued, err := s.pg.IssueKeys(ctx, client, 16)
		if err != nil {
			return r, err
		}
		j.Keys = append(j.Keys, issued...)
	}

	r.alone = o.observe(ctx, 5*time.Second)
	for _, server := range servers {
		resetPeak(server)
	}
	var after []answer
	var observing sync.WaitGroup
	observing.Go(func() {
		pause(ctx, time.Second) // until the flood weighs
		after = o.observe(ctx, j.Length-time.Second+recovery)
	})
	if f.imported == "" {
		r.statuses, err = j.run(ctx)
	} else {
		r.statuses, err = s.importAgain(f.imported, j.Length)
	}
	ended := time.Now()
	observing.Wait()
	for _, a := range after {
		if a.began.Before(ended) {
			r.under = append(r.under, a)
		}
		if a.Status != http.StatusOK || a.Took > time.Second {
			r.recovered = max(r.recovered, a.began.Add(a.Took).Sub(ended))
		}
	}
	for _, server := range servers {
		r.megabytes = max(r.megabytes, peak(server))
		if server.Ended() {
			return r, fmt.Errorf("a server ended: %s", server.Logs())
		}
	}
	return r, errors.Join(err, ctx.Err())
}

// importAgain replaces a client's history, one file after the other.
func (s *environment) importAgain(client string, length time.Duration) (statuses string, err error) {
	n := 0
	for end := time.Now().Add(length); err == nil && time.Now().Before(end); n++ {
		var file strings.Builder
		if _, err = corpus.Generate(&file, corpus.Options{
			Seed: 2, From: time.Now().AddDate(-1, 0, 0), To: time.Now(),
			Clients: []corpus.ClientOptions{{Slug: client, Mode: corpus.ModeCanonical, Interviews: 5_000, Campaigns: 3}},
		}); err == nil {
			err = s.base.Import(s.pg, file.String())
		}
	}
	return fmt.Sprintf("%d files", n), err
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
