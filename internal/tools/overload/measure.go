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

	"github.com/clientintel/clientintel/internal/apikey"
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
	flood                     flood
	proxied                   bool
	p99Alone, p99Under        time.Duration
	asked, refused, megabytes int
	// recovered is from the flood's end to that of the last answer that was refused or slow.
	recovered time.Duration
	statuses  string // of the flood
}

const heading = "flood                          way    p99 alone  p99 under  refused     MB  healthy  the flood's answers"

func (r result) String() string {
	way := "alone"
	if r.proxied {
		way = "proxy"
	}
	return fmt.Sprintf("%-30s %-6s %8dms %8dms %4d/%-4d %5d %7.1fs  %s %s", r.flood.name, way,
		r.p99Alone.Milliseconds(), r.p99Under.Milliseconds(), r.refused, r.asked, r.megabytes,
		r.recovered.Seconds(), r.statuses, strings.Join(r.broken(), " "))
}

// broken are the bounds that were passed.
func (r result) broken() (names []string) {
	bound := func(name string, isPassed bool) {
		if isPassed {
			names = append(names, "!"+name)
		}
	}
	hasKeys := r.flood.clients != nil
	bound("p99", r.proxied && r.p99Under > maxProxied || hasKeys && r.p99Under > maxValid)
	bound("refused", r.refused > 0 && (r.proxied || hasKeys))
	bound("healthy", r.recovered > maxRecovery)
	bound("MB", r.megabytes > maxMegabytes)
	bound("busy", r.p99Alone > maxProxied) // so is the machine: the figures say nothing
	bound("500", strings.Contains(r.statuses, `"500"`))
	return names
}

// measure observes a client without a flood, under it, and after it.
func (s *environment) measure(ctx context.Context, f flood, proxied bool) (result, error) {
	r := result{flood: f, proxied: proxied}
	length, servers := s.length, s.servers[:1]
	o := observer{url: s.servers[0].URL, interval: time.Second}
	if proxied {
		o.url, servers = "https://"+s.balancer.Address, s.servers[:]
	}
	keys := 20
	if f.isRare {
		keys, o.interval, length = 1, 15*time.Second, time.Minute
	}
	err := s.revokeKeys(ctx)
	if err != nil {
		return r, err
	}
	if o.keys, err = s.pg.IssueKeys(ctx, observed, keys); err != nil {
		return r, err
	}
	var own []string
	for _, client := range f.clients {
		if f.use == nil {
			break // imported without a key
		}
		issued, err := s.pg.IssueKeys(ctx, client, 16)
		if err != nil {
			return r, err
		}
		own = append(own, issued...)
	}

	r.p99Alone = p99(o.observe(ctx, 5*time.Second))
	for _, server := range servers {
		resetPeak(server)
	}
	var answers []answer
	var observing sync.WaitGroup
	observing.Go(func() {
		pause(ctx, time.Second) // until the flood weighs
		answers = o.observe(ctx, length+recovery)
	})
	if f.use == nil {
		r.statuses, err = s.importAgain(f.clients[0], length+time.Second)
	} else {
		r.statuses, err = f.run(ctx, o.url, length+time.Second, own)
	}
	ended := time.Now()
	observing.Wait()
	var under []answer
	for _, a := range answers {
		if a.began.Before(ended) {
			under = append(under, a)
			if a.Status != http.StatusOK {
				r.refused++
			}
		}
		if a.Status != http.StatusOK || a.Took > time.Second {
			r.recovered = max(r.recovered, a.began.Add(a.Took).Sub(ended))
		}
	}
	r.asked, r.p99Under = len(under), p99(under)
	for _, server := range servers {
		r.megabytes = max(r.megabytes, peak(server))
		if server.Ended() {
			return r, fmt.Errorf("a server ended: %s", server.Logs())
		}
	}
	return r, errors.Join(err, ctx.Err())
}

// revokeKeys revokes the observed client's keys of the flood before: a limited number is in force.
func (s *environment) revokeKeys(ctx context.Context) error {
	conn, err := s.pg.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = apikey.NewRegistry(conn).RevokeAll(ctx, observed, apikey.By{})
	return err
}

func p99(answers []answer) time.Duration {
	if len(answers) == 0 {
		return 0
	}
	slices.SortFunc(answers, func(a, b answer) int { return int(a.Took - b.Took) })
	return answers[len(answers)*99/100].Took
}

// importAgain replaces a client's history, one file after the other.
func (s *environment) importAgain(client string, length time.Duration) (statuses string, err error) {
	n := 0
	for end := time.Now().Add(length); err == nil && time.Now().Before(end); n++ {
		var file strings.Builder
		if _, err = corpus.Generate(&file, corpus.Options{
			Seed: 1, From: time.Now().AddDate(-1, 0, 0), To: time.Now(),
			Clients: []corpus.ClientOptions{{Slug: client, Mode: corpus.ModeCanonical, Interviews: 5_000, Campaigns: 1}},
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

func peak(server *cluster.Server) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.PID))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int
	_, _ = fmt.Sscan(after, &kilobytes)
	return kilobytes / 1000
}
